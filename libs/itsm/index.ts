// Tickets on platforms of service management, and what those platforms report of them.
export { itsmFeature } from './itsm.feature.js';
export { ITSM_ADAPTERS, ITSM_OPTIONS, type ItsmOptions } from './itsm.options.js';

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

// Open tickets and read them
export { TicketDesk } from './tickets/ticket-desk.js';
export { SYNC_STATES, Ticket, type SyncState, type TicketOrigin } from './tickets/ticket.entity.js';
export { ConnectorUnnamedError, TicketExistsError, TicketNotFoundError } from './tickets/ticket.errors.js';

// Built-in platforms
export { JiraAdapter } from './adapters/jira/jira.adapter.js';
export { ServiceNowAdapter } from './adapters/servicenow/servicenow.adapter.js';

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
