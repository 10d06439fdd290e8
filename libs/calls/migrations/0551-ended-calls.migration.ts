import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '#database';

/** Ends of calls are stored beside their marks, in one round trip, before their usage is counted. */
export class EndedCallsMigration0551 extends Migration {
  override up(): void {
    // The usage event as JSON. Null where the call has not ended.
    this.addSql(`alter table ${SCHEMA}.open_calls add column ended text null`);

    // Like cover_calls: it outlives the process that wrote it, without a wait for the disk. The process keeps the end in
    // memory until its usage is counted, so that only a crash of both within the same second can lose it.
    // Only a call without a row gets one: a call that was recorded for its owner meanwhile must not come back. Answers
    // which of the others have their row.
    this
      .addSql(`create function ${SCHEMA}.end_calls(org uuid, holder uuid, lease interval, ids uuid[], firsts boolean[],
        ends text[])
      returns uuid[] language plpgsql volatile set search_path = pg_catalog, pg_temp
      as $$
      declare
        there uuid[] := '{}';
      begin
        perform set_config('governance.org_id', org::text, true);
        perform set_config('synchronous_commit', 'off', true);
        if true = any(firsts) then
          insert into ${SCHEMA}.open_calls as c (org_id, id, owner, provider, model, input_tokens, output_tokens,
            opened_at, lease_until, ended)
          select org, b.id, holder, '', '', 0, 0, ${SCHEMA}.now(), ${SCHEMA}.now() + lease, b.ended
          from unnest(ids, firsts, ends) b(id, first, ended)
          where b.first
          on conflict (org_id, id) do update set ended = excluded.ended, lease_until = excluded.lease_until;
        end if;
        if false = any(firsts) then
          with changed as (
            update ${SCHEMA}.open_calls c set ended = b.ended, lease_until = ${SCHEMA}.now() + lease
            from unnest(ids, firsts, ends) b(id, first, ended)
            where not b.first and c.org_id = org and c.id = b.id
            returning c.id
          )
          select coalesce(array_agg(changed.id), '{}') into there from changed;
        end if;
        return there;
      end
      $$`);
    this.addSql(`revoke all on function ${SCHEMA}.end_calls from public`);
    this.addSql(`grant execute on function ${SCHEMA}.end_calls to ${APP_ROLE}`);
  }
}
