import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { factName, factsOf } from '../workload.mjs';

export const name = 'Cedar (wasm)';
export const note = 'pre-parsed; all matches of the winning effect';

const EXPRESSION = {
  in: (fact, operand) => `${JSON.stringify(operand)}.contains(context.${fact})`,
  not_in: (fact, operand) => `!${JSON.stringify(operand)}.contains(context.${fact})`,
  gte: (fact, operand) => `context.${fact} >= ${operand}`,
};

let sets = 0;

/** Block becomes forbid, and every other action permit. A policy that permits everybody replaces the default action. */
export function prepare(policies) {
  const staticPolicies = Object.fromEntries(
    policies.map(({ id, model, conditions, action }) => {
      const tests = Object.entries(conditions).flatMap(([attribute, tests]) =>
        Object.entries(tests).map(([operator, operand]) => EXPRESSION[operator](factName(attribute), operand)),
      );
      const resource = model === null ? 'resource' : `resource == Model::"${model}"`;
      const effect = action === 'block' ? 'forbid' : 'permit';
      return [id, `${effect}(principal, action, ${resource}) when { ${tests.join(' && ')} };`];
    }),
  );
  staticPolicies.default = 'permit(principal, action, resource);';
  const id = `set-${sets++}`;
  const parsed = preparsePolicySet(id, { staticPolicies });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed));
  return {
    evaluate: one => {
      const { model, ...context } = factsOf(one);
      return statefulIsAuthorized({
        principal: { type: 'User', id: one.subject.id },
        action: { type: 'Action', id: 'use' },
        resource: { type: 'Model', id: model },
        context,
        preparsedPolicySetId: id,
        entities: [],
      });
    },
    actionOf: answer => (answer.response.decision === 'deny' ? 'block' : 'not block'),
  };
}
