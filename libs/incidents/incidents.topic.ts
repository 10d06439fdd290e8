/**
 * Topic of the change feed for incidents. Every change increments its mark before it reads an incident. So the changes of
 * one organization's incidents are serialized, and commit in the order of their versions.
 */
export const INCIDENTS_TOPIC = 'incidents';
