import {
  Catch,
  HttpException,
  Inject,
  Logger,
  Optional,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import {
  type ErrorCode,
  type FieldError,
  GovernanceError,
  RateLimitedError,
  type ErrorLike,
  isErrorLike,
  messageOf,
  NotFoundError,
  RefusalError,
} from '#core';
import { databaseFault } from '#database';
import { boundedBody, namedFaults } from './bounded-body.js';
import { OrganizationNotFoundError } from '../organizations/organization.errors.js';
import { knownActorOf } from './actor.js';
import { OutageLog } from './outage-log.js';
import { Refusals } from './refusals.js';
import { requestIdOf, send, setHeader, type HttpRequest, type HttpResponse } from '../request/http-request.js';

const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** Many outages end within seconds. During a longer outage, repeated retries are cheap. */
const UNAVAILABLE_RETRY_SECONDS = 2;

const CODE = new Map<number, ErrorCode>(
  Object.entries(STATUS).map(([code, status]) => [status, code as ErrorCode] as const),
);

/** The body of every error response. */
export interface ErrorBody {
  error: ErrorCode;
  /** One sentence that tells the user what to do. */
  message: string;
  details?: FieldError[];
  /** Number of errors that are missing in `details`. */
  details_omitted?: number;
  request_id: string;
}

/** The response to an error. */
export interface ErrorAnswer {
  status: number;
  body: object;
  /** Media type of the body. Default: `application/json`. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Maps errors to status codes, and limits how much invalid input a response repeats. No other code does this. An
 * unknown error results in a 500 without its cause. The log contains the cause and the same request id.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Governance');

  /** One instance is shared by all filters of the process. A filter that a host creates itself has its own instance. */
  @Optional()
  @Inject(OutageLog)
  private readonly outages: OutageLog = new OutageLog();

  /** Undefined in a filter that a host creates itself. Such a filter handles no route of this module. */
  @Optional()
  @Inject(Refusals)
  private readonly refusals?: Refusals;

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<HttpResponse>();
    const requestId = requestIdOf(request);
    // Unauthenticated callers must not learn which organizations exist.
    const isHidden = thrown instanceof OrganizationNotFoundError && !knownActorOf(request);
    const shown = isHidden ? new NotFoundError('There is no such resource.') : thrown;
    const { status, body, type, headers = {} } = this.formed(this.answerTo(shown, requestId), request);
    const code = CODE.get(status);
    if (code) this.refusals?.note(request, code, thrown instanceof GovernanceError ? thrown.message : 'Refused.');
    setHeader(response, 'X-Request-Id', requestId);
    if (status === STATUS.unauthorized) setHeader(response, 'WWW-Authenticate', 'Bearer');
    const retryAfter = retryAfterOf(thrown);
    if (retryAfter !== undefined) setHeader(response, 'Retry-After', String(retryAfter));
    if (status === STATUS.unavailable) setHeader(response, 'Retry-After', String(UNAVAILABLE_RETRY_SECONDS));
    for (const [name, value] of Object.entries(headers)) setHeader(response, name, value);
    send(response, status, boundedBody(body), type);
  }

  /** Converts the response to the error format of the client's protocol. Default: no conversion. */
  protected formed(answer: ErrorAnswer, _request: HttpRequest): ErrorAnswer {
    return answer;
  }

  /** Status and body for an error. Override it for protocols with their own error body. */
  protected answerTo(thrown: unknown, requestId: string): ErrorAnswer {
    const refusal = thrown instanceof HttpException ? thrown.cause : thrown;
    if (refusal instanceof RefusalError) return refusalAnswer(refusal, requestId);
    const { code, message, details } = this.explain(thrown, requestId);
    const body: ErrorBody = { error: code, message, ...(details ? namedFaults(details) : {}), request_id: requestId };
    return { status: STATUS[code], body };
  }

  private explain(thrown: unknown, requestId: string): { code: ErrorCode; message: string; details?: FieldError[] } {
    if (thrown instanceof GovernanceError) {
      return { code: thrown.code, message: thrown.message, ...(thrown.details ? { details: thrown.details } : {}) };
    }
    if (isUndecodablePath(thrown)) return { code: 'not_found', message: 'There is no such resource.' };
    const status = statusOf(thrown);
    const code = status === undefined ? undefined : CODE.get(status);
    if (code && thrown instanceof HttpException) return { code, message: thrown.message };
    if (status !== undefined && status >= 400 && status < 500) return explainClientError(status, thrown);
    const fault = databaseFault(thrown);
    if (fault === 'outage') {
      // Logged without a stack, because thousands of requests would log the same stack.
      const line = this.outages.note(messageOf(thrown), requestId, performance.now());
      if (line !== undefined) this.logger.error(line);
      return { code: 'unavailable', message: 'The database cannot be reached; try again shortly.' };
    }
    if (fault === 'contention') {
      this.logger.warn(`${requestId} gave way to another transaction: ${describe(thrown)}`);
      return { code: 'unavailable', message: 'Another change conflicted with this one; try again.' };
    }
    // Input validation has missed an invalid value, and the database refused it. Constraint violations are not handled
    // here, because they are programming errors.
    if (fault === 'value') {
      this.logger.error(`${requestId} the database refused a value: ${describe(thrown)}`);
      return { code: 'bad_request', message: 'A value is out of range and cannot be stored; check the request.' };
    }
    this.logger.error(`${requestId} ${describe(thrown)}`);
    return { code: 'internal', message: 'Something went wrong on our side; quote the request id when you report it.' };
  }
}

/**
 * For routes of the host, where any filter may handle the error: converts an error of this package into a Nest
 * exception with our error body. Returns other errors unchanged.
 */
export function hostException(thrown: unknown, request: HttpRequest): unknown {
  const requestId = requestIdOf(request);
  if (thrown instanceof RefusalError) {
    const { status, body } = refusalAnswer(thrown, requestId);
    return new HttpException(body, status, { cause: thrown });
  }
  if (!(thrown instanceof GovernanceError)) return thrown;
  const { code, message, details } = thrown;
  const body: ErrorBody = { error: code, message, ...(details ? namedFaults(details) : {}), request_id: requestId };
  return new HttpException(body, STATUS[code], { cause: thrown });
}

function refusalAnswer({ status, code, message }: RefusalError, requestId: string): { status: number; body: object } {
  return { status, body: { error: code, message, request_id: requestId } };
}

/** Seconds to wait before a retry; undefined if a retry cannot help. */
function retryAfterOf(thrown: unknown): number | undefined {
  const refusal = thrown instanceof HttpException ? thrown.cause : thrown;
  const isTimed = refusal instanceof RateLimitedError || refusal instanceof RefusalError;
  return isTimed ? refusal.retryAfterSeconds : undefined;
}

/** Body parsers of Express and Fastify throw errors with a status. */
function explainClientError(status: number, thrown: unknown): { code: ErrorCode; message: string } {
  if (status === 413) return { code: 'payload_too_large', message: 'The body is larger than this endpoint accepts.' };
  if (status === 415)
    return { code: 'unsupported_media_type', message: 'Send the body with content-type: application/json.' };
  const message = thrown instanceof SyntaxError ? 'The body is not valid JSON.' : 'The request cannot be read.';
  return { code: CODE.get(status) ?? 'bad_request', message };
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const status: unknown = Reflect.get(thrown, 'statusCode') ?? Reflect.get(thrown, 'status');
  return typeof status === 'number' ? status : undefined;
}

/**
 * Whether the path cannot be decoded, such as `/v1/policies/%ff`. The response is the same as for an unknown id.
 * Express's error, which Nest wraps, has the status 400. A URIError that a programming error causes has no status.
 */
function isUndecodablePath(thrown: unknown): boolean {
  return causesOf(thrown).some(
    cause => Reflect.get(cause, 'name') === 'URIError' && Reflect.get(cause, 'status') === 400,
  );
}

function causesOf(thrown: unknown): ErrorLike[] {
  const causes: ErrorLike[] = [];
  for (let cause = thrown; isErrorLike(cause) && causes.length < 5; cause = cause.cause) causes.push(cause);
  return causes;
}

function describe(thrown: unknown): string {
  return isErrorLike(thrown) && typeof thrown.stack === 'string' ? thrown.stack : messageOf(thrown);
}
