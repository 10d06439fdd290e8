import { RANK } from '../workload.mjs';

export const name = 'plain loop';
export const note = 'all matches and violations';

const READ = {
  department: subject => subject.department,
  role: subject => subject.role,
  'attributes.level': subject => subject.attributes.level,
};

const TEST = {
  in: (value, operand) => operand.includes(value),
  not_in: (value, operand) => !operand.includes(value),
  gte: (value, operand) => value >= operand,
};

const SEVERITY = { block: 'high', alert: 'medium' };

/**
 * The simplest implementation: policies sorted and conditions flattened once, then each policy tested up to its first
 * failing condition.
 */
export function prepare(policies) {
  const sorted = policies.toSorted((a, b) => RANK[a.action] - RANK[b.action]);
  const flat = sorted.map(policy => ({
    policy,
    tests: Object.entries(policy.conditions).flatMap(([attribute, tests]) =>
      Object.entries(tests).map(([operator, operand]) => ({ read: READ[attribute], test: TEST[operator], operand })),
    ),
  }));
  return {
    evaluate: ({ subject, request }) => {
      const matches = [];
      const violations = [];
      for (const { policy, tests } of flat) {
        if (policy.model !== null && policy.model !== request.model) continue;
        let holds = true;
        for (const { read, test, operand } of tests) {
          if (!test(read(subject), operand)) {
            holds = false;
            break;
          }
        }
        if (!holds) continue;
        matches.push(policy);
        const severity = SEVERITY[policy.action];
        if (severity) violations.push({ policy, severity });
      }
      return { action: matches[0]?.action ?? 'allow', matches, violations };
    },
    actionOf: verdict => verdict.action,
    countOf: verdict => verdict.matches.length,
  };
}
