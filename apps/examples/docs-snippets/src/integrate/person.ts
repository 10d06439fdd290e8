/** Who asks: what the host's session knows. */
export interface Person {
  orgId: string;
  user_email: string;
}
