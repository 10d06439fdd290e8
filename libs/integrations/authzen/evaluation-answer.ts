import { defined, type GovernanceError } from '#core';
import type { Decision, MatchedPolicy } from '#policy';
import { reasonForAdmin, reasonForUser } from '../people/refusal-reasons.js';

/** The answer to an access evaluation. */
export interface EvaluationAnswer {
  readonly decision: boolean;
  readonly context: object;
}

/** HTTP status for an entry of a batch, by error code. */
const STATUSES: Partial<Record<GovernanceError['code'], number>> = { bad_request: 400, conflict: 409 };

/** A decision in the protocol's format. Its context contains the response of `POST /v1/decisions`. */
export function presentEvaluation(decision: Decision): EvaluationAnswer {
  const { id, action, allowed, reason, policies, approval_id, reservation, budgets, evaluated_at } = decision;
  const { limits, retry_after_ms } = decision;
  const status = reason === 'rate_limited' ? '429' : '403';
  return {
    decision: allowed,
    context: {
      ...{ id, action, reason },
      ...(allowed ? {} : { reason_user: { [status]: reasonForUser(decision) } }),
      ...(allowed ? {} : { reason_admin: { [status]: reasonForAdmin(decision) } }),
      policies: policies.map(shownPolicy),
      ...defined({ approval_id, reservation, budgets, limits, retry_after_ms }),
      evaluated_at,
    },
  };
}

/** Response for an entry of a batch that could not be evaluated. The entry is denied, with the reason. */
export function presentFault({ code, message, details }: GovernanceError): EvaluationAnswer {
  const error = { status: STATUSES[code] ?? 500, message, ...(details ? { details } : {}) };
  return { decision: false, context: { error } };
}

function shownPolicy({ id, name, action }: MatchedPolicy): object {
  return { id, name, action };
}
