/** Topic of the change feed: a policy of the organization was created, changed or deleted. */
export const POLICIES_TOPIC = 'policies';
