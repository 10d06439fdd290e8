import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { GovernanceOperations, type DeletionReport } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

interface DeleteFlags {
  org: string;
  export: string;
  confirm: string;
  dropUnsent?: boolean;
  json?: boolean;
}

/** `org delete`: exports an organization and deletes it. */
export function deleteCommand(): Command {
  return new Command('delete')
    .description('export a suspended organization to a folder, then delete all of its rows')
    .requiredOption('--org <id>', 'id of the organization')
    .requiredOption('--export <folder>', 'a new folder for the export; after an interruption, the same folder again')
    .requiredOption('--confirm <name>', 'the name of the organization')
    .option('--drop-unsent', 'delete also the records that the SIEM has not accepted')
    .option(...JSON_OPTION)
    .action(runDelete);
}

async function runDelete({ org, export: folder, confirm, dropUnsent, json }: DeleteFlags): Promise<void> {
  await withGovernance(async (app, { firstOrganization }) => {
    if (firstOrganization.id?.toLowerCase() === org.toLowerCase()) {
      throw new Error('GOVERNANCE_ORG_ID names this organization, so the app would create it again. Unset it first.');
    }
    const by = userInfo().username;
    const report = await app.get(GovernanceOperations).deleteOrganization(org.toLowerCase(), {
      folder: resolve(folder),
      confirm,
      by,
      ...(dropUnsent === undefined ? {} : { dropUnsent }),
      waits: reason => tell('organization.deletion_waits', { org_id: org, reason }),
      // The deletion also deletes the audit log. Therefore, this process logs who deleted the organization.
      begun: () => tell('organization.deletion_begun', { org_id: org, name: confirm, by, export: resolve(folder) }),
      progress: (table, rows) => tell('organization.rows_deleted', { org_id: org, table, rows }),
    });
    const rows = sumOf(Object.values(report.deleted));
    tell('organization.deleted', { org_id: org, name: report.name, by, rows });
    print(json, resultOf(report, resolve(folder)), [
      `Organization ${report.name} (${org}) is deleted.`,
      `Export: ${resolve(folder)}, ${sumOf(report.manifest.files.map(file => file.rows ?? 0))} rows`,
      `Deleted by this run: ${rows} rows`,
    ]);
  });
}

/** Writes one line of JSON to standard error, because standard output contains the result. */
function tell(event: string, fields: object): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...fields })}\n`);
}

function resultOf({ orgId, name, manifest, deleted }: DeletionReport, folder: string): object {
  return { org_id: orgId, name, export: folder, files: manifest.files.length, deleted };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
