/** Topic of the change feed that is marked when a token is revoked. */
export const TOKENS_TOPIC = 'tokens';
