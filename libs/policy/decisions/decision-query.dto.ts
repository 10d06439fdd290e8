import { ChoiceField, ChoicesField, InstantField, PageQueryDto, severalOf, TextField, UuidField } from '#access';
import { POLICY_ACTIONS } from '../decide/index.js';
import type { DecisionListQuery } from '../records/decision-log.js';
import { DECISION_ORDERS, type DecisionOrder } from '../records/ordered-decisions.js';
import { DECISION_LIMITS } from './parse-decision.js';

/** Query of `GET /v1/decisions`. */
export class DecisionQueryDto extends PageQueryDto {
  @UuidField({ optional: true, description: 'Only decisions about this person.' })
  user_id?: string;

  @ChoicesField(POLICY_ACTIONS, {
    optional: true,
    description: 'Only decisions with this action, or with one of several.',
  })
  action?: string;

  @TextField({
    max: DECISION_LIMITS.text,
    optional: true,
    description: 'Only decisions about this model, by its exact name.',
  })
  model?: string;

  @TextField({ max: DECISION_LIMITS.text, optional: true, description: 'Only decisions about this provider.' })
  provider?: string;

  @InstantField({ optional: true, description: 'Only decisions at or after this time.' })
  since?: string;

  @UuidField({ optional: true, description: 'Only decisions that this policy matched, also if it is deleted.' })
  policy_id?: string;

  @InstantField({ optional: true, description: 'Only decisions before this time.' })
  until?: string;

  @ChoiceField(DECISION_ORDERS, { optional: true, default: 'newest', description: 'Order of the list.' })
  sort?: DecisionOrder;
}

/** Converts the query to the input of the decision log. */
export function readDecisionQuery({ action, since, until, ...others }: DecisionQueryDto): DecisionListQuery {
  return {
    ...others,
    action: severalOf(POLICY_ACTIONS, action),
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}
