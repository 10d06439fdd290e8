import { APP_ROLE, OrgDatabase, pendingMigrations, SCHEMA } from '#database';
import type { SecretKeys } from '#secrets';
import { MIGRATIONS } from '../features.js';

/** One thing that was looked at. */
export interface Finding {
  check: string;
  ok: boolean;
  /** What was seen. */
  seen: string;
  /** What to do, where something is wrong. */
  remedy?: string;
}

const MIN_POSTGRES = 150_000;
const MAX_CLOCK_SKEW_MS = 2_000;
/** Holds counters under hashed keys and no organization's data. */
const TABLES_WITHOUT_ORGANIZATION = ['schema_migrations', 'rate_limits'];

const ASIDE_REMEDY = 'Mend what the fault names, then run: npx nest-llm-governance requeue';

type Check = (database: OrgDatabase, keys: SecretKeys) => Promise<Omit<Finding, 'check'>>;

const CHECKS: Record<string, Check> = {
  async 'PostgreSQL version'(database) {
    const version = await value<string>(database, `current_setting('server_version_num')`);
    const ok = Number(version) >= MIN_POSTGRES;
    return { ok, seen: version, ...(ok ? {} : { remedy: 'Use PostgreSQL 15 or newer.' }) };
  },
  async migrations(database) {
    const pending = await pendingMigrations(sql => database.global(sql), MIGRATIONS);
    if (pending.length === 0) return { ok: true, seen: `${MIGRATIONS.length} applied` };
    return { ok: false, seen: `missing: ${pending.join(', ')}`, remedy: 'Run: npx nest-llm-governance migrate' };
  },
  async 'role of the connections'(database) {
    const role = await value<string>(database, 'current_user');
    const isBypassing = await value<boolean>(
      database,
      '(select rolsuper or rolbypassrls from pg_roles where rolname = current_user)',
    );
    const ok = role === APP_ROLE && !isBypassing;
    const remedy = `Connections must arrive as ${APP_ROLE}: if a pooler stands between, let it pass startup options.`;
    return { ok, seen: role, ...(ok ? {} : { remedy }) };
  },
  async 'role of the login'(database) {
    const role = await value<string>(database, 'session_user');
    const isBypassing = await value<boolean>(
      database,
      '(select rolsuper or rolbypassrls from pg_roles where rolname = session_user)',
    );
    if (!isBypassing) return { ok: true, seen: role };
    // Not a failure: the connections gave its rights up. But what takes a role can drop it again.
    const remedy = 'Better: a login role without these rights as DATABASE_URL, this one as GOVERNANCE_MIGRATION_URL.';
    return { ok: true, seen: `${role}, which row-level security does not bind`, remedy };
  },
  async 'row-level security'(database) {
    const rows = await database.global<{ name: string }>(
      `select relname as name from pg_class where relnamespace = '${SCHEMA}'::regnamespace and relkind in ('r', 'p')
       and not relispartition and not (relrowsecurity and relforcerowsecurity) and relname <> all($1)`,
      [TABLES_WITHOUT_ORGANIZATION],
    );
    if (rows.length === 0) return { ok: true, seen: 'forced on every table' };
    const names = rows.map(row => row.name).join(', ');
    return { ok: false, seen: `off: ${names}`, remedy: 'Somebody switched it off by hand; restore the policies.' };
  },
  async 'keys of stored secrets'(_database, keys) {
    const [missing, old] = [await keys.missing(), await keys.old()];
    if (missing.length > 0) {
      const remedy = 'Put the missing key back into GOVERNANCE_KEYS; the next start fails without it.';
      return { ok: false, seen: `not at hand: ${missing.join(', ')}`, remedy };
    }
    if (old.length === 0) return { ok: true, seen: 'the one that writes' };
    // Not a failure: they can be read. But they could not be without these keys.
    const remedy = 'Before you remove an old key, run: npx nest-llm-governance rewrap';
    return { ok: true, seen: `secrets remain under: ${old.join(', ')}`, remedy };
  },
  async 'background work'(database) {
    const lanes = await database.global<{ lane: string; count: string; oldest_fault: string }>(
      `select lane, count::text, oldest_fault from ${SCHEMA}.quarantined_tasks()`,
    );
    if (lanes.length === 0) return { ok: true, seen: 'nothing put aside' };
    const seen = lanes.map(({ lane, count, oldest_fault: fault }) => `${lane}: ${count} put aside, first by: ${fault}`);
    return { ok: false, seen: seen.join('; '), remedy: ASIDE_REMEDY };
  },
  async 'clock against the database'(database) {
    const before = Date.now();
    const theirs = Number(await value<string>(database, '(extract(epoch from clock_timestamp()) * 1000)'));
    const skew = Math.round(theirs - (before + Date.now()) / 2);
    const ok = Math.abs(skew) <= MAX_CLOCK_SKEW_MS;
    return { ok, seen: `${skew} ms`, ...(ok ? {} : { remedy: 'Synchronize the clocks of both machines (NTP).' }) };
  },
};

/** Runs every check; one that cannot run is a finding, not an error. */
export async function checkUp(database: OrgDatabase, keys: SecretKeys): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      findings.push({ check: name, ...(await check(database, keys)) });
    } catch (error) {
      const seen = error instanceof Error ? error.message : 'failed';
      findings.push({
        check: name,
        ok: false,
        seen,
        remedy: 'Check DATABASE_URL and that the server accepts connections.',
      });
    }
  }
  return findings;
}

async function value<T>(database: OrgDatabase, expression: string): Promise<T> {
  const [row] = await database.global<{ value: T }>(`select ${expression} as value`);
  if (!row) throw new Error('no answer');
  return row.value;
}
