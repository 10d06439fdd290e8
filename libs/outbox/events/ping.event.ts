import { describeEvent } from './event-description.js';

export const PING_EVENT = describeEvent(
  'ping',
  'An administrator tests a webhook. Sent to that webhook only, regardless of its subscriptions.',
  {},
);
