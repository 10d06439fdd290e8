import type { WireKind } from './routes.js';

/** The reason why a request is refused instead of being answered by the provider. */
export interface WireRefusal {
  readonly status: number;
  /** Code for programs: `budget_exceeded`, `approval_required`, … */
  readonly code: string;
  /** One sentence for the reader of the error. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly decisionId?: string;
  /** Whether the same request may succeed some seconds later. SDKs then retry it. Default: false. */
  readonly isTransient?: boolean;
}

/** An HTTP answer in the format of the provider. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** `error.type` per status, as the provider names it. Other statuses have the type of a failure of the provider. */
const TYPES: Record<WireKind, { readonly [status: number]: string; readonly other: string }> = {
  openai: {
    400: 'invalid_request_error',
    401: 'invalid_request_error',
    402: 'insufficient_quota',
    403: 'permission_error',
    404: 'invalid_request_error',
    413: 'invalid_request_error',
    429: 'rate_limit_error',
    other: 'server_error',
  },
  anthropic: {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
    other: 'api_error',
  },
};

/**
 * A refusal in the provider's error format, so that the provider's SDK throws its own exception with our message.
 * `x-should-retry` tells the official SDKs whether to retry; without it, they retry every 429 and 5xx. `error.code`
 * contains the code of the refusal. Anthropic's format has no such field, but its SDK passes it on.
 */
export function refusalAnswer(kind: WireKind, refusal: WireRefusal): WireAnswer {
  const { status, code, message, retryAfterSeconds, decisionId, isTransient = false } = refusal;
  const type = TYPES[kind][status] ?? TYPES[kind].other;
  const body =
    kind === 'openai'
      ? { error: { message, type, param: null, code } }
      : {
          type: 'error',
          error: { type, message, code },
          ...(decisionId === undefined ? {} : { request_id: decisionId }),
        };
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-should-retry': String(isTransient),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.max(0, Math.ceil(retryAfterSeconds))) }),
      ...(decisionId === undefined ? {} : { 'x-governance-decision-id': decisionId }),
    },
    body: JSON.stringify(body),
  };
}
