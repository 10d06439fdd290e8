const dist = process.env.BENCH_DIST ?? new URL('../../../../dist', import.meta.url).pathname;
const { compilePolicies, decide } = await import(`${dist}/libs/policy/decide/index.js`);

export const name = 'this, action only';
export const note = 'the winning action; lists not asked for';

export function prepare(policies) {
  const compiled = compilePolicies(policies);
  return {
    evaluate: ({ subject, request }) => decide(compiled, subject, request).action,
    actionOf: action => action,
  };
}
