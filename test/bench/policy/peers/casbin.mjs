import { StringAdapter, newEnforcer, newModel } from 'casbin';
import { factsOf } from '../workload.mjs';

export const name = 'casbin';
export const note = 'blocked or not; stops at the first block; names at most one policy';

const MODEL = `
[request_definition]
r = model, department, role, level
[policy_definition]
p = model, departments, roles, level, eft
[policy_effect]
e = !some(where (p.eft == deny))
[matchers]
m = (p.model == "*" || p.model == r.model) && allows(p.departments, r.department) && allows(p.roles, r.role) && atLeast(r.level, p.level)
`;

/** Conditions as texts of the policy line, `+a|b` for in and `-a|b` for not_in. Two registered functions read them. */
export async function prepare(policies) {
  const text = tests => (tests ? (tests.in ? `+${tests.in.join('|')}` : `-${tests.not_in.join('|')}`) : '-');
  const lines = policies.map(({ model, conditions, action }) => {
    const fields = [model ?? '*', text(conditions.department), text(conditions.role)];
    return ['p', ...fields, conditions['attributes.level']?.gte ?? 0, action === 'block' ? 'deny' : 'allow'].join(', ');
  });
  const sets = new Map();
  const setOf = list => {
    let set = sets.get(list);
    if (!set) sets.set(list, (set = new Set(list.slice(1).split('|'))));
    return set;
  };
  const enforcer = await newEnforcer(newModel(MODEL), new StringAdapter(lines.join('\n')));
  await enforcer.addFunction('allows', (list, value) => setOf(list).has(value) === (list[0] === '+'));
  await enforcer.addFunction('atLeast', (value, least) => value >= Number(least));
  return {
    evaluate: one => {
      const facts = factsOf(one);
      return enforcer.enforceSync(facts.model, facts.department, facts.role, facts.level);
    },
    actionOf: allowed => (allowed ? 'not block' : 'block'),
  };
}
