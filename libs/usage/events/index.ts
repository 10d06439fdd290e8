export {
  DEFAULT_TIME_LIMITS,
  MAX_EVENT_COST_USD,
  MAX_EVENT_REQUESTS,
  MAX_EVENT_TOKENS,
  NO_TIME_LIMITS,
  type EventRefusal,
  type EventTimeLimits,
  type ParsedUsageEvent,
  type UsageEventInput,
} from './usage-event.js';
export { parseUsageEvent } from './parse-usage-event.js';
export { reportedTerms } from './provider-terms.js';
export { eventFingerprint } from './fingerprint.js';
export { parseNdjsonLine, splitCloudEventsBatch, splitJsonBatch, splitNdjsonBatch, type RawEvent } from './batch.js';
