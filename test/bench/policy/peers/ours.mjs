const dist = process.env.BENCH_DIST ?? new URL('../../../../dist', import.meta.url).pathname;
const { compilePolicies, decide } = await import(`${dist}/libs/policy/decide/index.js`);

export const name = 'this engine';
export const note = 'all matches and violations';

export function prepare(policies) {
  const compiled = compilePolicies(policies);
  return {
    evaluate: ({ subject, request }) => {
      const verdict = decide(compiled, subject, request);
      // Reading the getters creates the lists.
      if (verdict.matches.length < verdict.violations.length) throw new Error('more violations than matches');
      return verdict;
    },
    actionOf: verdict => verdict.action,
    countOf: verdict => verdict.matches.length,
  };
}
