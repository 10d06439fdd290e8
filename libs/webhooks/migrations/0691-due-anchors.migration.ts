import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

/** Which organizations have a webhook for anchors of the audit log, and got none since a time. */
export class DueAnchorsMigration0691 extends Migration {
  override up(): void {
    const due = crossOrganizationFunction(
      'organizations_due_an_anchor(hours integer, most integer)',
      `returns setof uuid language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select h.org_id from ${SCHEMA}.audit_heads h
             where (h.anchored_at is null or h.anchored_at <= ${SCHEMA}.now() - hours * interval '1 hour') and exists (
               select from ${SCHEMA}.webhooks w
               where w.org_id = h.org_id and w.enabled and 'audit_anchor' = any (w.events))
             order by h.org_id limit most $$`,
      { audit_heads: ['org_id', 'key_id', 'anchored_at'], webhooks: ['org_id', 'enabled', 'events'] },
    );
    for (const statement of due) this.addSql(statement);
  }
}
