/**
 * Topic of the change feed under which incidents change. Its mark is raised before any incident is read for a change, so
 * that changes of one organization's incidents commit one after another, in the order of their versions.
 */
export const INCIDENTS_TOPIC = 'incidents';
