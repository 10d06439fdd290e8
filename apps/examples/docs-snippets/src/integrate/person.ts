/** The signed-in person, as read from the host's session. */
export interface Person {
  orgId: string;
  user_email: string;
}
