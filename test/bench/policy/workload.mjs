// Deterministic policies and requests in the API's format. Every engine gets the same ones in every run.

const MODELS = [
  'gpt-5',
  'gpt-5-mini',
  'claude-opus-5',
  'claude-haiku-5',
  'gemini-3-pro',
  'gemini-3-flash',
  'o5',
  'mistral-3',
];
const ACTIONS = ['allow', 'alert', 'require_approval', 'block'];
const ROLES = ['member', 'admin', 'auditor'];

/** A small linear congruential generator (Numerical Recipes' constants), good enough for test data. */
function randomFrom(seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return { next, pick: list => list[Math.floor(next() * list.length)] };
}

/**
 * `narrow`: policies name one or two departments each, and departments grow with the policies, so about one matches.
 * `broad`: ten departments, policies mostly exclude one, so about half of all match.
 */
export function workload(kind, count) {
  const random = randomFrom(count + kind.length);
  const departments = Array.from(
    { length: kind === 'narrow' ? Math.max(5, count / 2) : 10 },
    (_, n) => `department-${n}`,
  );
  const policies = Array.from({ length: count }, (_, n) => ({
    id: `policy-${String(n).padStart(6, '0')}`,
    name: `Policy ${n}`,
    version: 1,
    enabled: true,
    action: random.pick(ACTIONS),
    model: random.next() < (kind === 'narrow' ? 0.5 : 0.1) ? random.pick(MODELS) : null,
    conditions: kind === 'narrow' ? narrow(random, departments) : broad(random, departments),
  }));
  const requests = Array.from({ length: 1_000 }, (_, n) => ({
    subject: {
      id: `user-${n}`,
      email: `user-${n}@example.com`,
      name: `User ${n}`,
      department: random.pick(departments),
      role: random.pick(ROLES),
      status: 'active',
      attributes: { level: Math.floor(random.next() * 10) },
    },
    request: { model: random.pick(MODELS), provider: 'any', deviceStatus: 'enrolled' },
  }));
  return { policies, requests };
}

function narrow(random, departments) {
  const conditions = { department: { in: [random.pick(departments), random.pick(departments)] } };
  if (random.next() < 0.4) conditions.role = { not_in: [random.pick(ROLES)] };
  if (random.next() < 0.3) conditions['attributes.level'] = { gte: Math.floor(random.next() * 10) };
  return conditions;
}

function broad(random, departments) {
  const conditions = { department: { not_in: [random.pick(departments)] } };
  if (random.next() < 0.5) conditions.role = { not_in: [random.pick(ROLES)] };
  return conditions;
}

/** The value of a condition's attribute, for engines that take flat facts. */
export function factsOf({ subject, request }) {
  return { model: request.model, department: subject.department, role: subject.role, level: subject.attributes.level };
}

/** The name that a condition's attribute has in `factsOf`: without the prefix `attributes.`. */
export const factName = attribute => attribute.replace('attributes.', '');

export const RANK = { block: 0, require_approval: 1, alert: 2, allow: 3 };
