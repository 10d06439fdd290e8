/** Topic of the change feed for revoked tokens, and for new tokens that may be cached as unknown. */
export const TOKENS_TOPIC = 'tokens';
