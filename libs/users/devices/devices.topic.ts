/** Topic of the change feed: every change of a device that can affect a decision raises it. */
export const DEVICES_TOPIC = 'devices';
