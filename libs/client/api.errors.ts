import type { Schemas } from './operations.js';

/** The body of every error of the API. */
export type ErrorBody = Schemas['ErrorBody'];

/** The service answered with a status other than 2xx. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** Status of the answer. */
    readonly status: number,
    /**
     * Body of the response; undefined if the response does not come from the service, for example if a proxy sent it.
     */
    readonly body: ErrorBody | undefined,
    /** Delay before a retry in milliseconds; undefined if the response names none. */
    readonly retryAfterMs: number | undefined,
    operation: string,
  ) {
    super(`${operation}: ${status} ${body ? `${body.error}: ${body.message}` : '(not an answer of the service)'}`);
  }

  /** The service's error code, such as `not_found`. */
  get code(): ErrorBody['error'] | undefined {
    return this.body?.error;
  }

  /** Id of the request in the service's log. */
  get requestId(): string | undefined {
    return this.body?.request_id;
  }

  /** The invalid fields. */
  get details(): readonly Schemas['FieldError'][] {
    return this.body?.details ?? [];
  }
}

const SECOND_MS = 1_000;

/** Creates the error for a response. Reads the body of the response. */
export async function errorOf(operation: string, response: Response): Promise<ApiError> {
  const wait = retryAfterMs(response.headers.get('retry-after'));
  return new ApiError(response.status, errorBodyOf(await response.text()), wait, operation);
}

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isOurs = typeof body === 'object' && body !== null && 'error' in body && 'message' in body;
    // Only error bodies of the service have a text in `error`.
    return isOurs && typeof body.error === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** The service sends whole seconds. */
function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * SECOND_MS : undefined;
}
