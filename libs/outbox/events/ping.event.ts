import { describeEvent } from './event-description.js';

/** `data` of `ping`: nothing. */
export type PingData = Record<string, never>;

export const PING_EVENT = describeEvent<PingData>(
  'ping',
  'An administrator tests a webhook. Sent to that webhook only, regardless of its subscriptions.',
  {},
  {},
);
