import { factsOf } from '../workload.mjs';
import { abilityOf } from './casl.mjs';

export const name = 'CASL, all matches';
export const note = 'all matches, by testing every rule of the model';

export function prepare(policies) {
  const ability = abilityOf(policies);
  return {
    evaluate: one => {
      const facts = factsOf(one);
      return ability.rulesFor('use', facts.model).filter(rule => rule.reason && rule.matchesConditions(facts));
    },
    actionOf: rules => rules[0]?.reason.split(' ')[0] ?? 'allow',
    countOf: rules => rules.length,
  };
}
