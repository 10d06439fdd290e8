import { Command } from 'commander';
import {
  inspectInstallation,
  uninstall,
  type Footprint,
  type OpenConnection,
  type UninstallReport,
} from 'nest-llm-governance';
import { readConfig } from '../config.js';
import { reachDatabase } from '../database.js';
import { LOGIN_ROLE } from '../login-role.js';
import { JSON_OPTION, print } from './output.js';

interface UninstallFlags {
  dryRun?: boolean;
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

const EXPORT =
  'Keep a copy first: pg_dump --schema=governance --no-owner --file=governance.sql "$GOVERNANCE_MIGRATION_URL"';

/** `uninstall`: removes the schema and the roles. */
export function uninstallCommand(): Command {
  return new Command('uninstall')
    .description('remove the database schema with all its data, and the roles that migrations made')
    .option('--dry-run', 'show what would be removed, and change nothing')
    .option('--yes', 'remove it; without this option nothing is removed')
    .option('--force', 'remove it although replicas are connected')
    .option(...JSON_OPTION)
    .action(runUninstall);
}

async function runUninstall({ dryRun = false, yes = false, force = false, json }: UninstallFlags): Promise<void> {
  const config = readConfig();
  const database = await reachDatabase(config);
  try {
    // Removes the login role only from an embedded database. A login role on another server is kept.
    const loginRoles = config.databaseUrl === undefined ? [LOGIN_ROLE] : [];
    const options = { url: database.migrationUrl ?? database.url, loginRoles, force };
    const found = await inspectInstallation(options);
    const isThere = found.schema !== null || found.roles.length > 0;
    if (dryRun || !yes || !isThere) {
      if (!dryRun && isThere) process.exitCode = 1;
      const next = dryRun || !isThere ? [] : ['Nothing was removed. Run it again with --yes to remove all of this.'];
      print(json, { found, removed: [], left: [] }, [...linesOf(found), ...next]);
      return;
    }
    if (!json) print(false, {}, linesOf(found));
    const report = await uninstall(options);
    if (report.left.some(({ inUse }) => !inUse)) process.exitCode = 1;
    print(json, { found, ...report }, outcomeOf(report));
  } finally {
    await database.release();
  }
}

function linesOf({ schema, roles, connections }: Footprint): string[] {
  if (!schema && roles.length === 0) return ['Nothing of nest-llm-governance is in this database.'];
  return [
    ...(schema ? [`schema ${schema.name}: ${schema.tables} tables, ${megabytes(schema.bytes)} MB`] : []),
    ...roles.map(({ name, members }) => `role ${name}${members.length > 0 ? `: taken by ${members.join(', ')}` : ''}`),
    ...connections.map(lineOf),
    ...(schema ? [EXPORT] : []),
  ];
}

function lineOf({ pid, role, address, since }: OpenConnection): string {
  const from = address === null ? '' : ` from ${address}`;
  return `connection ${pid}: ${role}${from}${since === null ? '' : ` since ${since.toISOString()}`}`;
}

function outcomeOf({ removed, left }: UninstallReport): string[] {
  return [
    ...removed.map(what => `removed ${what}`),
    ...left.flatMap(({ what, reason, sql, inUse }) =>
      inUse ? [`kept ${what}. ${reason}`] : [`kept ${what}. ${reason} As an administrator: ${sql}`],
    ),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
