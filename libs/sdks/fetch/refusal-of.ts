import { GovernanceError, RefusalError, type ErrorCode } from '#core';
import type { WireRefusal } from '#wire';

/** HTTP statuses of errors that occur while a call is opened. 409 is not used, because SDKs retry it. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_found: 404,
  forbidden: 403,
  unavailable: 503,
};

/** The refusal for an error of this package; undefined for any other error. */
export function refusalOf(error: unknown): WireRefusal | undefined {
  if (error instanceof RefusalError) {
    const { status, code, message, retryAfterSeconds } = error;
    const decisionId = decisionIdOf(error);
    return {
      ...{ status, code, message },
      // The SDK may retry the request, because it may succeed later.
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds, isTransient: true }),
      ...(decisionId === undefined ? {} : { decisionId }),
    };
  }
  if (!(error instanceof GovernanceError)) return undefined;
  const { code, message } = error;
  return { status: STATUSES[code] ?? 400, code, message, isTransient: code === 'unavailable' };
}

function decisionIdOf(error: RefusalError): string | undefined {
  const decision: unknown = Reflect.get(error, 'decision');
  const id: unknown = typeof decision === 'object' && decision !== null ? Reflect.get(decision, 'id') : undefined;
  return typeof id === 'string' ? id : undefined;
}
