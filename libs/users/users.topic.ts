/** Topic of the change feed for all changes of users that can affect a decision. */
export const USERS_TOPIC = 'users';
