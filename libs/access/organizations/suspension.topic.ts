/** Topic of the change feed that is marked when an organization is suspended or resumed. */
export const SUSPENSION_TOPIC = 'suspension';
