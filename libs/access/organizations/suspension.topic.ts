/** Topic of the change feed for suspensions and resumptions of an organization. */
export const SUSPENSION_TOPIC = 'suspension';
