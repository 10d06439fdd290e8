// Opens tickets on ITSM platforms, and processes their reports.
import type { PlatformFault } from './adapter/platform-answer.js';

export { ItsmModule } from './itsm.module.js';
export { ITSM_ADAPTERS, ITSM_OPTIONS, ITSM_RULES, type ItsmOptions } from './itsm.options.js';

// Write an adapter
export {
  changesOf,
  ItsmAdapter,
  type AdapterCapabilities,
  type AdapterContext,
  type Check,
  type FormSchema,
} from './adapter/itsm-adapter.port.js';
export { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from './adapter/adapter-http.js';
export { AccessTokens, type TokenGrant } from './adapter/access-tokens.js';
export {
  deliveryId,
  hasSecret,
  hasSignature,
  headerOf,
  isHubSigned,
  isSameSecret,
  isStandardSigned,
  type InboundReport,
  type SignatureRules,
} from './adapter/inbound-report.js';
export type { CreateFailure, CreateOutcome, RejectionCode, TicketRef } from './adapter/create-outcome.js';
export { attemptUpdate } from './adapter/attempt-update.js';
export {
  CHANGE_KINDS,
  isDeclined,
  type ChangeKind,
  type TicketChange,
  type UpdateOutcome,
} from './adapter/ticket-change.js';
export { RedactedHttp, type AnswerRules } from './adapter/redacted-http.js';
export { SecretFilter } from './adapter/secret-filter.js';
/** Builders for the schemas of settings and secrets, and the types of their values. */
export * as form from './adapter/form.js';
export { formFaults } from './connectors/form-check.js';
export { SAMPLE_DRAFT, type RenderedTicket, type TicketDraft } from './adapter/ticket-draft.js';
export { TICKET_STATUSES, type InboundUpdate, type TicketState, type TicketStatus } from './adapter/ticket-state.js';

// Manage connectors
export type { Routing } from './decide/routing.js';
export { Connector, type ConnectorFields, type ConnectorProblem } from './connectors/connector.entity.js';
export { ConnectorListService } from './connectors/connector-list.service.js';
export { ConnectorService, type ConnectorDraft, type ConnectorPatch } from './connectors/connector.service.js';
export { ConnectorTest, type TestedConnector } from './delivery/connector-test.js';
export {
  AdapterMissingError,
  ConnectorInactiveError,
  ConnectorNameTakenError,
  ConnectorNotFoundError,
  NoActiveConnectorError,
  TooManyConnectorsError,
} from './connectors/connector.errors.js';

// Open tickets and read them
export { TicketListService, type TicketListQuery } from './tickets/ticket-list.service.js';
export { TicketNotRetriableError, TicketRetry } from './tickets/ticket-retry.js';
export type { ShownTicket, TicketFilter } from './tickets/ticket-rows.js';
export { TicketService } from './tickets/ticket.service.js';
export { SYNC_STATES, type SyncState } from './decide/progress.js';
export { Ticket, type TicketOrigin } from './tickets/ticket.entity.js';
export { ConnectorUnnamedError, TicketExistsError, TicketNotFoundError } from './tickets/ticket.errors.js';

// Take commands from a chat
export {
  ChatCommandAdapter,
  type ChatCommand,
  type ChatPress,
  type ChatRequest,
} from './chat/chat-command-adapter.port.js';
export { CHAT_ADAPTERS } from './chat/chat-adapters.js';
export { SlackCommandAdapter } from './chat/slack/slack-command.adapter.js';

// Notify a chat
export type { ChatButton, ChatNotice, ChatNotifier, ChatOutcome, ChatTarget } from './chat/chat-notifier.port.js';
export { NotifyingChat } from './chat/notifying-chat.js';
export { TeamsAdapter } from './chat/teams/teams.adapter.js';

// Built-in platforms
export { AzureDevOpsAdapter } from './adapters/azure-devops/azure-devops.adapter.js';
export { GitLabAdapter } from './adapters/gitlab/gitlab.adapter.js';
export { JiraAdapter } from './adapters/jira/jira.adapter.js';
export { JiraDataCenterAdapter } from './adapters/jira-data-center/jira-data-center.adapter.js';
export { PagerDutyAdapter } from './adapters/pagerduty/pagerduty.adapter.js';
export { ServiceNowAdapter } from './adapters/servicenow/servicenow.adapter.js';

// Helpers for adapters
export { attemptCreate } from './adapter/attempt-create.js';
export {
  asId,
  asMoment,
  asObject,
  asPage,
  asText,
  fieldTexts,
  jsonOf,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  type PlatformFault,
  quoted,
  type Reason,
  refusal,
  retryAfterMs,
} from './adapter/platform-answer.js';
export { outcomeOfChange, outcomeOfLookup } from './adapter/other-outcomes.js';
export { ApiAdapter, checksOf, type Finding, type Look } from './adapter/api-adapter.js';
export {
  basicAuth,
  PlatformApi,
  readPages,
  withoutSlash,
  type ApiOptions,
  type ApiRequest,
} from './adapter/platform-api.js';
export { changeTicket, type ChangePart, type FoundTicket } from './adapter/change-ticket.js';
export {
  describeInHtml,
  describeInHtmlWithin,
  describeInMarkdown,
  escapeHtml,
  htmlText,
  markdownText,
} from './adapter/markup.js';
export {
  CUT_MARK,
  cutText,
  describeDraft,
  labelsOf,
  missingLabels,
  oneLine,
  payloadText,
  titleOf,
} from './adapter/ticket-text.js';

// Types and helpers of other libraries
export { Clock, defined, isUuid, messageOf, SystemClock, type Json, type JsonObject, type Severity } from '#core';

/**
 * The former name of {@link PlatformFault}.
 * @deprecated Use `PlatformFault`. This name is removed in the next version.
 */
export type PlatformTrouble = PlatformFault;
