/** An invalid field of a request. */
export interface FieldFault {
  field: string;
  message: string;
}

/** An error response of the API. The `status` is 0 if there was no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** The request id, for support; undefined if there was no response. */
    readonly requestId?: string,
    readonly faults: readonly FieldFault[] = [],
  ) {
    super(message);
  }
}

/** Whether an automatic retry may help. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Creates the error for an error response. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { message, request_id, details } = isRecord(body) ? body : {};
  const faults = Array.isArray(details) ? details.filter(isRecord) : [];
  return new ApiError(
    response.status,
    typeof message === 'string' ? message : `The server answered ${response.status}.`,
    typeof request_id === 'string' ? request_id : (response.headers.get('x-request-id') ?? undefined),
    faults.map(({ field, message }) => ({ field: String(field), message: String(message) })),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
