import { shortened } from './text.js';

/** Machine-readable error codes of the `error` field of every error body. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'internal'
  | 'unavailable';

/** An invalid field: its path in the body or query (`conditions.department.not_in[2]`) and how to correct it. */
export interface FieldError {
  field: string;
  message: string;
}

/** Maximum number of errors that a message or response lists. Further errors are only counted. */
export const NAMED_FAULTS_MAX = 50;

const SENTENCE_MAX = 3_000;

/**
 * An error that a caller can act on. Services throw these errors; only the error filter maps them to HTTP statuses. The
 * message is one sentence for a person and never contains a secret.
 */
export abstract class GovernanceError extends Error {
  abstract readonly code: ErrorCode;

  constructor(
    message: string,
    readonly details?: FieldError[],
  ) {
    super(message);
    this.name = new.target.name;
  }

  /** An error about one field. */
  static field<T extends GovernanceError>(
    this: new (message: string, details?: FieldError[]) => T,
    field: string,
    message: string,
  ): T {
    return new this(`${field}: ${message}`, [{ field, message }]);
  }

  /**
   * An error about several fields. The message starts with `because` and contains the first error; the details list all
   * of them.
   */
  static fields<T extends GovernanceError>(
    this: new (message: string, details?: FieldError[]) => T,
    faults: readonly FieldError[],
    because = '',
  ): T {
    return new this(because + sentenceOf(faults), [...faults]);
  }
}

function sentenceOf(faults: readonly FieldError[]): string {
  const named: string[] = [];
  let length = 0;
  for (const { field, message } of faults) {
    if (named.length === NAMED_FAULTS_MAX || length > SENTENCE_MAX) break;
    const part = `${shortened(field, 200)}: ${shortened(message, 500)}`;
    named.push(part);
    length += part.length;
  }
  const others = faults.length - named.length;
  return named.join('; ') + (others > 0 ? `; and ${others} more` : '');
}

/** The request is malformed or a value is invalid. */
export class BadRequestError extends GovernanceError {
  readonly code = 'bad_request';
}

/** The credential is missing, unknown, malformed, expired or revoked. */
export class UnauthorizedError extends GovernanceError {
  readonly code = 'unauthorized';
}

/** The credential is valid, but lacks the scope. */
export class ForbiddenError extends GovernanceError {
  readonly code = 'forbidden';
}

/** The resource does not exist in the caller's organization. */
export class NotFoundError extends GovernanceError {
  readonly code = 'not_found';
}

/** The change conflicts with the current state. */
export class ConflictError extends GovernanceError {
  readonly code = 'conflict';
}

/** The body is larger than the endpoint accepts. */
export class PayloadTooLargeError extends GovernanceError {
  readonly code = 'payload_too_large';
}

/** The endpoint does not accept the body's content type. */
export class UnsupportedMediaTypeError extends GovernanceError {
  readonly code = 'unsupported_media_type';
}

/** Too many requests. `retryAfterSeconds` is the delay before a retry. */
export class RateLimitedError extends GovernanceError {
  readonly code = 'rate_limited';

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** A valid request that a business rule refuses. It has its own code and HTTP status. */
export abstract class RefusalError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }

  /** Seconds after which a retry may succeed; undefined if a retry cannot help. */
  readonly retryAfterSeconds: number | undefined = undefined;

  // `expose` and `statusCode` tell Nest's filter and other handlers that the client may see status and message.
  readonly expose = true;

  get statusCode(): number {
    return this.status;
  }
}

/** A dependency (usually the database) is temporarily unavailable. */
export class UnavailableError extends GovernanceError {
  readonly code = 'unavailable';
}
