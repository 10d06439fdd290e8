import { GovernanceError, RefusalError, type ErrorCode } from '#core';
import type { WireRefusal } from '#wire';

/** Statuses of what can go wrong while a call is opened. Never 409, which SDKs send again. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_found: 404,
  forbidden: 403,
  unavailable: 503,
};

/** What to answer in the provider's place, or undefined for what is no fact of governance. */
export function refusalOf(error: unknown): WireRefusal | undefined {
  if (error instanceof RefusalError) {
    const { status, code, message, retryAfterSeconds } = error;
    const decisionId = decisionIdOf(error);
    return {
      ...{ status, code, message },
      // Waiting helps: the SDK may send it again.
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
