import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { EXPORTED_TABLES, SHARED_TABLES } from './exported-tables.js';

/** Columns whose type or name suggests a secret, but which contain none. Each was reviewed. */
const HARMLESS = new Set([
  // Digests of requests. They are stored to recognize repeated requests.
  ...['chat_commands.request_hash', 'itsm_report_events.event_hash', 'usage_event_keys.fingerprint'],
  // The hash chain. It is exported so that the exported log can be verified.
  ...['audit_heads.hash', 'audit_log.prev_hash', 'audit_log.hash', 'audit_heads.key_id'],
  ...['audit_log.salt', 'audit_log.commitment', 'audit_redactions.commitment', 'siem_streams.lease_token'],
  // Certificates, keys and revocation lists that are public.
  ...['device_authorities.certificate', 'device_authorities.list', 'device_certificates.certificate'],
  ...['device_certificates.spki', 'device_certificates.key_fingerprint'],
  // Ids and names.
  ...['access_tokens.issued_by_token', 'access_tokens.ends_with_tokens', 'dashboard_sessions.token_id'],
  ...['dashboard_sign_in_links.token_id', 'dashboard_sessions.credential_id', 'usage_attributions.token_id'],
  ...[
    'usage_events.token_id',
    'tasks.lease_token',
    'tasks.key',
    'task_holds.key',
    'decisions.idempotency_key',
    'decisions.token_id',
  ],
  ...[
    'decision_keys.idempotency_key',
    'gateway_providers.key_set_at',
    'chat_workspaces.secret_names',
    'itsm_connectors.secret_names',
  ],
  ...['webhooks.secret_version', 'webhooks.previous_secret_until', 'users.email_key', 'scim_emails.email_key'],
  ...['scim_users.user_name_key', 'scim_users.other_email_keys', 'scim_groups.display_name_key'],
  ...['itsm_connectors.problem_code', 'tickets.error_code', 'users.departure_ends_machine_tokens'],
  // Bodies of the answers of webhook receivers, and the packed state of a user's usual usage.
  ...['webhook_attempts.response_body', 'anomaly_people.state', 'events.body'],
  // Counts.
  ...['limit_counters.tokens', 'limits.tokens_per_minute', 'organizations.sign_in_token_max_days'],
]);

const SUSPECT = /secret|hash|token|key|mac$|cipher|password|credential|code/;
const COUNTS = /_tokens$/;

let database: TestDatabase;
let columns: { table: string; column: string; type: string }[];

beforeAll(async () => {
  database = await createMigratedDatabase();
  columns = await database.asOwner(`
    select c.relname::text as table, a.attname::text as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'governance'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped order by 1, 2`);
});

afterAll(() => database?.drop());

describe('the export of an organization', () => {
  it('decides about every table of the schema, by name', () => {
    const inSchema = [...new Set(columns.map(({ table }) => table))];
    expect([...EXPORTED_TABLES.keys(), ...SHARED_TABLES].toSorted()).toEqual(inSchema.toSorted());
  });

  it('finds the organization in every table that it exports', () => {
    const named = new Set(
      columns.filter(({ column, type }) => column === 'org_id' && type === 'uuid').map(c => c.table),
    );
    expect([...EXPORTED_TABLES.keys()].filter(table => !named.has(table))).toEqual(['organizations']);
    expect([...SHARED_TABLES].filter(table => named.has(table))).toEqual([]);
  });

  it('decides about every column that may reveal a secret', () => {
    const undecided = columns
      .filter(({ table }) => EXPORTED_TABLES.has(table) && EXPORTED_TABLES.get(table)?.leftOut === undefined)
      .filter(({ column, type }) => type === 'bytea' || (SUSPECT.test(column) && !COUNTS.test(column)))
      .filter(({ table, column }) => !EXPORTED_TABLES.get(table)?.omit?.includes(column))
      .map(({ table, column }) => `${table}.${column}`)
      .filter(name => !HARMLESS.has(name));
    expect(undecided).toEqual([]);
  });

  it('omits only columns that exist', () => {
    const all = new Set(columns.map(({ table, column }) => `${table}.${column}`));
    const named = [...EXPORTED_TABLES].flatMap(([table, { omit = [], json = [] }]) =>
      [...omit, ...json].map(column => `${table}.${column}`),
    );
    expect([...named, ...HARMLESS].filter(name => !all.has(name))).toEqual([]);
  });
});
