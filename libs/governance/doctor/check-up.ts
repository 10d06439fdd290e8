import { messageOf, within } from '#core';
import { STREAM_BACKLOG, streamFinding, type StreamBacklog } from './stream-finding.js';
import { APP_ROLE, LOOKUP_ROLE, OrgDatabase, SCHEMA, schemaDamage } from '#database';
import { ROLE_REMEDY } from '../app-role.js';
import { CHANGED_REMEDY, type KeyChecks, type SecretKeys } from '#secrets';

/** Result of one check. */
export interface Finding {
  check: string;
  /** False if the app cannot work. */
  ok: boolean;
  /** The observed state. */
  seen: string;
  /**
   * How to correct the problem. If `ok` is true, the finding is a warning: the app works, but this should be improved.
   */
  remedy?: string;
}

const MIN_POSTGRES = 150_000;
const MAX_CLOCK_SKEW_MS = 2_000;
// Rights that the login role regains with RESET ROLE, beyond those of the app's role. Only the most severe one.
const LOGIN = `
select r.rolname as role, case
  when r.rolsuper then 'is a superuser, which row-level security does not bind'
  when r.rolbypassrls then 'has BYPASSRLS, so row-level security does not bind it'
  when exists (select from pg_class c where c.relnamespace = '${SCHEMA}'::regnamespace and c.relkind in ('r', 'p')
    and pg_has_role(r.oid, c.relowner, 'MEMBER')) then 'owns the tables, and can switch row-level security off'
  when pg_has_role(r.oid, '${LOOKUP_ROLE}', 'MEMBER') then 'can become ${LOOKUP_ROLE}, which reads across organizations'
  when r.rolcreaterole then 'has CREATEROLE, and can give itself other roles'
  end as power
from pg_roles r where r.rolname = session_user`;

/** Tables without data of organizations: migrations, counters with hashed keys, and settings of the installation. */
const TABLES_WITHOUT_ORGANIZATION = ['schema_migrations', 'rate_limits', 'retention_floors', 'key_checks'];

const ASIDE_REMEDY = 'Mend what the fault names, then run: npx nest-llm-governance requeue';

/** Data for the checks of keys: whether all keys of stored secrets are given, and whether a key has changed. */
export interface CheckedKeys {
  readonly stored: Pick<SecretKeys, 'missing' | 'old'>;
  readonly checks: Pick<KeyChecks, 'changed'>;
}

const EXPIRING = `${SCHEMA}.expiring_tokens(now(), now() + interval '7 days')`;

/** Partitions are not counted, because they are parts of tables. */
const PRESENT_TABLES = `(select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = '${SCHEMA}' and c.relkind in ('r', 'p') and not c.relispartition)`;

const MIGRATE = 'Run: npx nest-llm-governance migrate';
const CONNECT_MS = 11_000;

type Check = (database: OrgDatabase, keys: CheckedKeys) => Promise<Omit<Finding, 'check'>>;

const CHECKS: Record<string, Check> = {
  async 'PostgreSQL version'(database) {
    const version = await value<string>(database, `current_setting('server_version_num')`);
    const ok = Number(version) >= MIN_POSTGRES;
    return { ok, seen: version, ...(ok ? {} : { remedy: 'Use PostgreSQL 15 or newer.' }) };
  },
  async migrations(database) {
    const pending = await database.pendingMigrations();
    if (pending.length === 0) return { ok: true, seen: `${database.migrations.length} applied` };
    return { ok: false, seen: `missing: ${pending.join(', ')}`, remedy: MIGRATE };
  },
  async tables(database) {
    const damage = await schemaDamage(sql => database.global(sql), database.migrations);
    if (damage) return { ok: false, seen: damage.fault, remedy: damage.remedy };
    const wanted = database.migrations.flatMap(({ tables = [] }) => tables).length;
    const present = Number(await value(database, PRESENT_TABLES));
    if (present < wanted) return { ok: false, seen: `${present} of ${wanted} present`, remedy: MIGRATE };
    return { ok: true, seen: `${wanted} present` };
  },
  async 'role of the connections'(database) {
    const role = await value<string>(database, 'current_user');
    const isBypassing = await value<boolean>(
      database,
      '(select rolsuper or rolbypassrls from pg_roles where rolname = current_user)',
    );
    const ok = role === APP_ROLE && !isBypassing;
    return { ok, seen: role, ...(ok ? {} : { remedy: ROLE_REMEDY }) };
  },
  async 'role of the login'(database) {
    const [login] = await database.global<{ role: string; power: string | null }>(LOGIN);
    if (!login) throw new Error('no answer');
    if (login.power === null) return { ok: true, seen: login.role };
    // This is a warning, not a failure: the connections have given up these rights, but RESET ROLE would restore them.
    const remedy =
      'Whoever can run SQL in the app leaves governance_app with RESET ROLE. Give the app a login role without rights: ' +
      'DATABASE_URL names that role and GOVERNANCE_MIGRATION_URL this one ("Your own PostgreSQL" in docs/operate.md).';
    return { ok: true, seen: `${login.role} ${login.power}`, remedy };
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
  async 'key bytes'(_database, { checks }) {
    const changed = await checks.changed();
    if (changed.length === 0) return { ok: true, seen: 'those that this database was used with' };
    return { ok: false, seen: `other bytes than before under: ${changed.join(', ')}`, remedy: CHANGED_REMEDY };
  },
  async 'keys of stored secrets'(_database, { stored }) {
    const [missing, old] = [await stored.missing(), await stored.old()];
    if (missing.length > 0) {
      const remedy = 'Put the missing key back into GOVERNANCE_KEYS; the next start fails without it.';
      return { ok: false, seen: `not at hand: ${missing.join(', ')}`, remedy };
    }
    if (old.length === 0) return { ok: true, seen: 'the one that writes' };
    // This is a warning, not a failure: the secrets can be read now, but not after these keys are removed.
    const remedy = 'Before you remove an old key, run: npx nest-llm-governance rewrap';
    return { ok: true, seen: `secrets remain under: ${old.join(', ')}`, remedy };
  },
  async 'background work'(database) {
    const queues = await database.global<{ queue: string; count: string; oldest_fault: string }>(
      `select queue, count::text, oldest_fault from ${SCHEMA}.quarantined_tasks()`,
    );
    if (queues.length === 0) return { ok: true, seen: 'no dead letters' };
    const seen = queues.map(
      ({ queue, count, oldest_fault: fault }) => `${queue}: ${count} dead-lettered, first by: ${fault}`,
    );
    return { ok: false, seen: seen.join('; '), remedy: ASIDE_REMEDY };
  },
  async 'audit sink'(database) {
    const [exists] = await database.global<{ yes: boolean }>(`select to_regprocedure($1) is not null as yes`, [
      `${SCHEMA}.siem_backlog(text)`,
    ]);
    const [stream] = exists?.yes ? await database.global<StreamBacklog>(STREAM_BACKLOG) : [];
    return stream ? streamFinding(stream) : { ok: true, seen: 'none in use' };
  },
  async 'expiring tokens'(database) {
    const count = Number(await value<string>(database, EXPIRING));
    if (count === 0) return { ok: true, seen: 'none within seven days' };
    const remedy =
      'Find them with: npx nest-llm-governance token list --org <id>. Create a new token, replace it, and revoke the ' +
      'old one: rotating does not extend the expiry.';
    return { ok: true, seen: `${count} within seven days`, remedy };
  },
  async 'clock against the database'(database) {
    const before = Date.now();
    const theirs = Number(await value<string>(database, '(extract(epoch from clock_timestamp()) * 1000)'));
    const skew = Math.round(theirs - (before + Date.now()) / 2);
    const ok = Math.abs(skew) <= MAX_CLOCK_SKEW_MS;
    return { ok, seen: `${skew} ms`, ...(ok ? {} : { remedy: 'Synchronize the clocks of both machines (NTP).' }) };
  },
};

/** Runs every check. If a check itself fails, the result is a finding, not an error. */
export async function checkUp(database: OrgDatabase, keys: CheckedKeys): Promise<Finding[]> {
  const fault = await faultOfConnection(database);
  const findings: Finding[] = [fault ?? { check: CONNECTION, ok: true, seen: 'the database answers' }];
  for (const [name, check] of Object.entries(CHECKS)) {
    if (fault) {
      findings.push({ check: name, ok: false, seen: 'not looked at, because of the connection' });
      continue;
    }
    try {
      findings.push({ check: name, ...(await check(database, keys)) });
    } catch (error) {
      findings.push({ check: name, ok: false, seen: messageOf(error), remedy: remedyOf(error) });
    }
  }
  return findings;
}

const CONNECTION = 'connection';

/** If the connection fails, all other checks are skipped, because they need it. */
async function faultOfConnection(database: OrgDatabase): Promise<Finding | undefined> {
  try {
    await within(CONNECT_MS, database.global('select 1'));
    return undefined;
  } catch (error) {
    return { check: CONNECTION, ok: false, seen: messageOf(error), remedy: remedyOf(error) };
  }
}

const REMEDIES: [RegExp, string][] = [
  [/role "governance_app" does not exist/, MIGRATE],
  [
    /permission denied to set role "governance_app"/,
    `${MIGRATE}, or as an administrator what this prints: npx nest-llm-governance doctor --print-grants`,
  ],
  [/(schema|relation|function) .* does not exist/, MIGRATE],
  [/permission denied for/, 'The role of the connections lacks rights: see its finding, or migrate again.'],
  [/password authentication failed|role ".*" does not exist/, 'Check user and password of DATABASE_URL.'],
];

function remedyOf(error: unknown): string {
  const message = messageOf(error);
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(message)) ?? [];
  return remedy ?? 'Check DATABASE_URL and that the server accepts connections.';
}

async function value<T>(database: OrgDatabase, expression: string): Promise<T> {
  const [row] = await database.global<{ value: T }>(`select ${expression} as value`);
  if (!row) throw new Error('no answer');
  return row.value;
}
