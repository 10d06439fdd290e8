// Tickets on platforms of service management, and what those platforms report of them.
export { itsmFeature } from './itsm.feature.js';

// Write an adapter
export {
  ItsmAdapter,
  type AdapterCapabilities,
  type AdapterContext,
  type Check,
  type FormSchema,
} from './adapter/itsm-adapter.port.js';
export { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from './adapter/adapter-http.js';
export type { CreateOutcome, RejectionCode, TicketRef } from './adapter/create-outcome.js';
export type { RenderedTicket, TicketDraft } from './adapter/ticket-draft.js';
export { TICKET_STATUSES, type InboundUpdate, type TicketState, type TicketStatus } from './adapter/ticket-state.js';

// What adapters have in common
export { attemptCreate } from './adapter/attempt-create.js';
export {
  asObject,
  asText,
  jsonOf,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  quoted,
  refusal,
  retryAfterMs,
} from './adapter/platform-answer.js';
export { CUT_MARK, cutText, describeDraft, oneLine, payloadText } from './adapter/ticket-text.js';

// What they speak
export { Clock, SystemClock, type Json, type JsonObject, type Severity } from '#core';
