/**
 * Topic of the change feed for incidents. Every change increments the version of the topic before it reads an incident.
 * Changes of one organization's incidents are therefore serialized, and are committed in the order of their versions.
 */
export const INCIDENTS_TOPIC = 'incidents';
