/** Metadata key of the scopes of which a route needs one. */
export const REQUIRED_SCOPES = 'governance:scopes';

/** Metadata key of routes outside the request limit. */
export const UNLIMITED = 'governance:unlimited';
