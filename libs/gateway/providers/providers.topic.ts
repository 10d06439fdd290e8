/** Topic of the change feed: a provider of the gateway was added, changed or deleted. */
export const PROVIDERS_TOPIC = 'gateway_providers';
