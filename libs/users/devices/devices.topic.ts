/** Topic of the change feed: raised by every change of a device that a decision can see. */
export const DEVICES_TOPIC = 'devices';
