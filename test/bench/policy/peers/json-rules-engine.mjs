import { Engine } from 'json-rules-engine';
import { factName, factsOf, RANK } from '../workload.mjs';

export const name = 'json-rules-engine';
export const note = 'all matches';

const OPERATOR = { in: 'in', not_in: 'notIn', gte: 'greaterThanInclusive' };

export function prepare(policies) {
  const engine = new Engine();
  for (const { id, model, conditions, action } of policies) {
    const all = Object.entries(conditions).flatMap(([attribute, tests]) =>
      Object.entries(tests).map(([operator, value]) => ({
        fact: factName(attribute),
        operator: OPERATOR[operator],
        value,
      })),
    );
    if (model !== null) all.unshift({ fact: 'model', operator: 'equal', value: model });
    engine.addRule({ conditions: { all }, event: { type: action, params: { id } } });
  }
  return {
    evaluate: async one => (await engine.run(factsOf(one))).events,
    actionOf: events => events.map(({ type }) => type).sort((a, b) => RANK[a] - RANK[b])[0] ?? 'allow',
    countOf: events => events.length,
  };
}
