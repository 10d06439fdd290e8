/** The signed-in person, from the host's session. */
export interface Person {
  orgId: string;
  user_email: string;
}
