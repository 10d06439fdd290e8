/** Topic of the change feed for devices: all changes that can affect a decision. */
export const DEVICES_TOPIC = 'devices';
