import { Migration } from '@mikro-orm/migrations';
import { atLeastFloor, crossOrganizationFunction, LOOKUP_ROLE, SCHEMA } from '#database';

// Entries about prunings do not count as old. Otherwise a log that contains only such entries would be pruned again and
// again.
const IS_OLD = `l.occurred_at < ${SCHEMA}.now() - ${atLeastFloor(`'audit_log'`, 'keep_days')} * interval '1 day'`;

const OLD_LOGS = `returns table (org_id uuid)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  begin
  return query select h.org_id from ${SCHEMA}.audit_heads h
  where (after is null or h.org_id > after) and exists (
    select from ${SCHEMA}.audit_log l
    where l.org_id = h.org_id and ${IS_OLD} and l.action <> 'audit_log.pruned')
  order by h.org_id limit most;
  end
  $$`;

const PRUNE = `returns table (seq float8, hash bytea, rows bigint)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    org uuid := nullif(current_setting('governance.org_id', true), '')::uuid;
    last bigint;
    last_hash bytea;
    pruned bigint;
  begin
    if keep_days is null or keep_days < 1 or most is null or most < 1 then
      raise exception 'prune_audit_log: keeps at least one day';
    end if;
    -- The oldest rows, up to the first that is too young: the rest of the log has no gap.
    with oldest as materialized (
      select l.seq, l.action, ${IS_OLD} as is_old from ${SCHEMA}.audit_log l
      where l.org_id = org order by l.seq limit most),
    due as (
      select o.seq, o.action from oldest o
      where o.seq < coalesce((select min(y.seq) from oldest y where not y.is_old), 9223372036854775807))
    select max(d.seq) into last from due d having bool_or(d.action <> 'audit_log.pruned');
    if last is null then return; end if;
    select l.hash into last_hash from ${SCHEMA}.audit_log l where l.org_id = org and l.seq = last;
    delete from ${SCHEMA}.audit_redactions r where r.org_id = org and r.redacted_by <= last;
    delete from ${SCHEMA}.audit_log l where l.org_id = org and l.seq <= last;
    get diagnostics pruned = row_count;
    return query select last::float8, last_hash, pruned;
  end
  $$`;

/** Prunes audit logs at the end of their retention. */
export class AuditRetentionMigration0224 extends Migration {
  override up(): void {
    const log = ['org_id', 'seq', 'occurred_at', 'action', 'hash'];
    const heads = ['org_id', 'key_id', 'anchored_at'];
    const reads = { audit_log: log, audit_heads: heads, audit_redactions: ['org_id', 'redacted_by'] };
    const statements = [
      ...['audit_log', 'audit_redactions'].flatMap(table => [
        `grant delete on ${SCHEMA}.${table} to ${LOOKUP_ROLE}`,
        `create policy ${table}_prune on ${SCHEMA}.${table} for delete to ${LOOKUP_ROLE} using (true)`,
      ]),
      ...crossOrganizationFunction('old_audit_logs(keep_days integer, after uuid, most integer)', OLD_LOGS, reads),
      ...crossOrganizationFunction('prune_audit_log(keep_days integer, most integer)', PRUNE, {}),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
