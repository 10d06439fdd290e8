// Shared types and errors, independent of frameworks, databases and networks.
export { boundedBy } from './bounded-by.js';
export { BufferRoom } from './buffer-room.js';
export { Clock, SystemClock } from './clock.js';
export { defined } from './defined.js';
export {
  DIMENSION_MAX_LENGTH,
  DimensionRefusal,
  boundTags,
  dimensionsOr,
  isTagKey,
  NO_DIMENSIONS,
  projectDefect,
  readDimensions,
  tagOf,
  TAGS_MAX,
  tagsDefect,
  tagsText,
  type DimensionBounds,
  type Dimensions,
  type Tags,
} from './dimensions.js';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  GovernanceError,
  NAMED_FAULTS_MAX,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  RefusalError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedMediaTypeError,
  type ErrorCode,
  type FieldError,
} from './errors.js';
export { firstIdAt, isUuid, newId } from './ids.js';
export { METER } from './meter.js';
export { PACKAGE_VERSION } from './package-version.js';
export * as option from './options/index.js';
export { CursorSealer, digestFilters, type CursorPosition } from './cursor.js';
export { Keyring, parseKeyring } from './keyring.js';
export { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, pageOf, type Page, type PageQuery } from './page.js';
export { canonicalJson, hasWideObject, inspectJson, JSON_MAX_DEPTH, JSON_MAX_KEYS, type JsonDefect } from './json.js';
export { caseForms, isStorableText, shortened, type Json, type JsonObject } from './text.js';
export { DEVICE_STATUSES, DeviceDirectory, type DeviceStatus } from './ports/device-directory.port.js';
export { DecisionDimensions, type DecidedFor } from './ports/decision-dimensions.port.js';
export { OrganizationStates } from './ports/organization-states.port.js';
export { UserDirectory, type DirectoryUser, type UserReference, type UserStatus } from './ports/user-directory.port.js';
export {
  FIRST_STEPS,
  OverviewSections,
  type FirstStep,
  type OverviewAnomalies,
  type OverviewApprovals,
  type OverviewBudget,
  type OverviewBudgets,
  type OverviewOwnBudgets,
  type OverviewConnectors,
  type OverviewDeliveries,
  type OverviewIncidents,
  type Overview,
  type OverviewSection,
} from './ports/overview-sections.js';
export {
  isServiceTier,
  REGION_MAX_LENGTH,
  regionDefect,
  SERVICE_TIERS,
  serviceTierNamed,
  type ServiceTier,
} from './service-tier.js';
export { PricingCatalog, type PriceQuote, type PricedTokens, type PriceRequest } from './ports/pricing-catalog.port.js';
export {
  SpendGuard,
  type RefusingBudget,
  type SpendRequest,
  type SpendReservation,
  type SpendVerdict,
} from './ports/spend-guard.port.js';
export { UsageActivity, type HourlyUsage, type PersonalUsage, type TouchedHour } from './ports/usage-activity.port.js';
export { UsageFigures, type UsageFigure } from './ports/usage-figures.port.js';
export { SearchKinds, type SearchKind } from './ports/search-kinds.js';
export { LIVE_TOPICS, LiveTopics, type LiveTopic, type LiveTopicName } from './ports/live-topics.js';
export type { SqlTransaction } from './ports/sql-transaction.port.js';
export { PORT_METHODS } from './ports/port-methods.js';
export { SEVERITIES, type Severity } from './severity.js';
export {
  SecretCipher,
  SecretUnreadableError,
  type SealedSecret,
  type SecretPlace,
} from './ports/secret-cipher.port.js';
export { isErrorLike, messageOf, type ErrorLike } from './thrown.js';
export { TimeSlice } from './time-slice.js';
export { within } from './within.js';
