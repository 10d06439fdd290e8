import type { GovernanceOptions } from '../governance.options.js';
import type { Finding } from './check-up.js';

/** Settings that an operator should know to be less strict than they could be. */
export function settingFindings({ approvals }: Pick<GovernanceOptions, 'approvals'>): Finding[] {
  const check = 'approvals';
  if (approvals?.requirePerson === true) return [{ check, ok: true, seen: 'only persons approve and deny' }];
  return [
    {
      check,
      ok: true,
      seen: 'a token without a person may approve and deny',
      remedy: 'To require a person, set GOVERNANCE_APPROVALS_REQUIRE_PERSON=true (option approvals.requirePerson).',
    },
  ];
}
