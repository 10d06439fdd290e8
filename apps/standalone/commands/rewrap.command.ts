import { Command } from 'commander';
import { GovernanceOperations } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `rewrap`: encrypts stored secrets and the seals of audit logs with the current key. */
export function rewrapCommand(): Command {
  return new Command('rewrap')
    .description(
      'bring stored secrets and audit logs under the first key of GOVERNANCE_KEYS, so that the others can be removed',
    )
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      await withGovernance(async app => {
        const report = await app.get(GovernanceOperations).rewrapSecrets();
        const { rewrapped, remaining, unreadable, audit_heads: heads } = report;
        if (remaining > 0 || unreadable.length > 0 || heads.broken.length > 0) process.exitCode = 1;
        print(options.json, report, [
          ...heads.broken.map(id => `BROKEN SEAL of the audit log of organization ${id}: run audit verify --org ${id}`),
          ...(heads.resealed > 0 ? [`${heads.resealed} audit logs sealed anew`] : []),
          ...unreadable.map(secret => `UNREADABLE in organization ${secret.org_id}: ${secret.reason}`),
          `${rewrapped} secrets rewrapped, ${remaining} remain under other keys`,
          ...(remaining > unreadable.length
            ? ['Some were being changed, or are still sealed under an old key: run it again.']
            : []),
        ]);
      });
    });
}
