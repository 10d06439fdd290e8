/** Topic of the change feed for all changes of devices that can affect a decision. */
export const DEVICES_TOPIC = 'devices';
