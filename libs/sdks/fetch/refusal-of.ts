import { GovernanceError, RefusalError, type ErrorCode } from '#core';
import type { WireRefusal } from '#wire';

/** HTTP statuses of errors while a call is opened. Never 409, because SDKs retry it. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_found: 404,
  forbidden: 403,
  unavailable: 503,
};

/** The refusal for an error of governance; undefined for any other error. */
export function refusalOf(error: unknown): WireRefusal | undefined {
  if (error instanceof RefusalError) {
    const { status, code, message, retryAfterSeconds } = error;
    const decisionId = decisionIdOf(error);
    return {
      ...{ status, code, message },
      // The request may succeed later, so the SDK may retry it.
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
