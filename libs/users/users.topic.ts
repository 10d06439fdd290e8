/** Topic of the change feed: every change of a user that can affect a decision raises it. */
export const USERS_TOPIC = 'users';
