// HTTP parts for every library: access checks, validation, responses and error bodies.
export { AnswerWriter, streamedAnswer } from './answer-writer.js';
export { AccessGuard } from './access.guard.js';
export { ApiKeyGuard } from './api-key.guard.js';
export { answerBytesMax } from './bounded-body.js';
export { decodeBody, parseBody, readBytes } from './body-bytes.js';
export { BodyGuard, ReadsBody, TextBody } from './body.guard.js';
export { ClientAddress } from '../request/client-address.js';
export { CredentialRecheck } from './credential-recheck.js';
export { dtoOf } from './dto.js';
export * as f from './dto-fields.js';
export { ErrorFilter, hostException, type ErrorAnswer, type ErrorBody } from './error.filter.js';
export {
  CheckedField,
  ChoiceField,
  ChoicesField,
  FlagField,
  InstantField,
  IntegerField,
  NumberField,
  ObjectField,
  severalOf,
  TextField,
  UuidField,
  type FieldOptions,
} from './field.decorators.js';
export { GOVERNANCE_ROUTE, isGovernanceRoute } from './governance-route.js';
export { announcedBytesOf, hideBody, showBody, unreadBodyOf } from './unread-body.js';
export { addCookie, requestIdOf, setHeader, type HttpRequest, type HttpResponse } from '../request/http-request.js';
export { rootAddressOf } from '../request/root-address.js';
export { CollectsFields, IgnoresReadOnly, InputPipe, readInput, readInputApart } from './input.pipe.js';
export { ApiPage, PageQueryDto } from './page.dto.js';
export { partialOf } from './partial.js';
export { presenterOf } from './presenter.js';
export { acceptsProgress, PROGRESS_LINES, progressLines, whileConnected } from './progress-lines.js';
export {
  CurrentActor,
  CurrentVisitor,
  GovernanceController,
  NO_STORE,
  Open,
  Refuses,
  AlsoNeeds,
  Requires,
  SometimesNeeds,
  ResourceId,
} from './routes.decorators.js';
export type { Visitor } from './visitor.js';
