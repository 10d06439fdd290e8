import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, protectTable, SCHEMA } from '#database';

/** Open calls, each with the usage that its process has written ahead. */
export class OpenCallsMigration0550 extends Migration {
  override up(): void {
    // A row exists as long as its stream. Marks (usage written ahead) are updated in place, so pages keep free space
    // and the primary key is the only index. `ended` is the usage event as JSON; null if the call has not ended.
    this.addSql(`create table ${SCHEMA}.open_calls (
      org_id uuid not null,
      id uuid not null,
      owner uuid not null,
      decision_id uuid null,
      user_id uuid null,
      user_email text null,
      provider text not null,
      model text not null,
      service_tier text null,
      region text null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      opened_at timestamptz not null,
      lease_until timestamptz not null,
      ended text null,
      primary key (org_id, id))
      with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    for (const statement of protectTable('open_calls', 'select, insert, update, delete')) this.addSql(statement);

    // This function does not wait for the disk. A mark survives a crash of its process, and is lost only if the
    // database crashes within the next second. The final usage is written with a wait for the disk. One round trip
    // covers many calls. Only the first mark of a call inserts its row: another process may have recorded the call and
    // removed the row, which must not be inserted again.
    this.addSql(`create function ${SCHEMA}.cover_calls(org uuid, holder uuid, lease interval, ids uuid[],
        firsts boolean[], marks bigint[], decisions uuid[], users uuid[], emails text[], providers text[],
        models text[], inputs bigint[], opened timestamptz[], tiers text[], regions text[])
      returns uuid[] language plpgsql volatile set search_path = pg_catalog, pg_temp
      as $$
      begin
        perform set_config('governance.org_id', org::text, true);
        perform set_config('synchronous_commit', 'off', true);
        insert into ${SCHEMA}.open_calls as c (org_id, id, owner, decision_id, user_id, user_email, provider, model,
          input_tokens, output_tokens, opened_at, lease_until, service_tier, region)
        select org, b.id, holder, b.decision, b.person, b.email, b.provider, b.model, b.input, b.mark, b.opened,
          ${SCHEMA}.now() + lease, b.tier, b.region
        from unnest(ids, firsts, marks, decisions, users, emails, providers, models, inputs, opened, tiers, regions)
          b(id, first, mark, decision, person, email, provider, model, input, opened, tier, region)
        where b.first
        on conflict (org_id, id) do update
        set output_tokens = greatest(c.output_tokens, excluded.output_tokens), lease_until = excluded.lease_until;
        update ${SCHEMA}.open_calls c
        set output_tokens = greatest(c.output_tokens, b.mark), lease_until = ${SCHEMA}.now() + lease
        from unnest(ids, firsts, marks) b(id, first, mark)
        where not b.first and c.org_id = org and c.id = b.id;
        return array(select c.id from ${SCHEMA}.open_calls c where c.org_id = org and c.id = any(ids));
      end
      $$`);
    this.addSql(`revoke all on function ${SCHEMA}.cover_calls from public`);
    this.addSql(`grant execute on function ${SCHEMA}.cover_calls to ${APP_ROLE}`);

    this.ends();

    const abandoned = crossOrganizationFunction(
      'organizations_with_abandoned_calls(most integer)',
      `returns table (org_id uuid) language sql volatile security definer set search_path = pg_catalog, pg_temp
       as $$ select c.org_id from ${SCHEMA}.open_calls c where c.lease_until <= ${SCHEMA}.now()
       group by c.org_id order by min(c.lease_until) limit most $$`,
      { open_calls: ['org_id', 'lease_until'] },
    );
    for (const statement of abandoned) this.addSql(statement);
  }

  /** Stores the ends of calls in the same rows as their marks, in one round trip. Their usage is counted later. */
  private ends(): void {
    // Like cover_calls, this function does not wait for the disk, and its result survives a crash of the process. The
    // process keeps the end in memory until its usage is counted, so the end is lost only if process and database crash
    // within one second. Only a call without a mark is inserted: another process may have recorded a marked call and
    // removed its row, which must not be inserted again. Returns the marked calls that still have their row.
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
