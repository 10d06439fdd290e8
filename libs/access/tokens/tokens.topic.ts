/** Topic of the change feed that is marked when a token is revoked, or one is made that may have been tried before. */
export const TOKENS_TOPIC = 'tokens';
