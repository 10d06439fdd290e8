/** Topic of the change feed: raised by every change of a user that a decision can see. */
export const USERS_TOPIC = 'users';
