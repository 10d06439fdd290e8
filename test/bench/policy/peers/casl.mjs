import { createMongoAbility } from '@casl/ability';
import { factName, factsOf, RANK } from '../workload.mjs';

export const name = 'CASL';
export const note = 'blocked or not; stops at the first match';

const OPERATOR = { in: '$in', not_in: '$nin', gte: '$gte' };

/** The model is the subject's type, which CASL indexes. In CASL the last rule wins, so blocks come last. */
export function abilityOf(policies) {
  const rules = policies
    .toSorted((a, b) => RANK[b.action] - RANK[a.action])
    .map(({ id, model, conditions, action }) => ({
      action: 'use',
      subject: model ?? 'all',
      inverted: action === 'block',
      reason: `${action} ${id}`,
      conditions: Object.fromEntries(
        Object.entries(conditions).map(([attribute, tests]) => [
          factName(attribute),
          Object.fromEntries(Object.entries(tests).map(([operator, operand]) => [OPERATOR[operator], operand])),
        ]),
      ),
    }));
  return createMongoAbility([{ action: 'use', subject: 'all' }, ...rules], {
    detectSubjectType: ({ model }) => model,
  });
}

export function prepare(policies) {
  const ability = abilityOf(policies);
  return {
    evaluate: one => ability.can('use', factsOf(one)),
    actionOf: allowed => (allowed ? 'not block' : 'block'),
  };
}
