import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, LOOKUP_ROLE, protectTable, SCHEMA } from '#database';
import { FORGET_HITS } from './forget-hits.sql.js';

/** Counts of the hits of policies, per quarter of an hour. In every time zone, days begin at a quarter of an hour. */
export class PolicyHitsMigration0440 extends Migration {
  override up(): void {
    // Rows are updated with every batch of decisions. Pages therefore keep free space, and no index contains a column
    // that changes. There is no foreign key, because the counts remain when their policy is deleted.
    this.addSql(`create table ${SCHEMA}.policy_hits (
      org_id uuid not null,
      policy_id uuid not null,
      quarter timestamptz not null,
      hits double precision not null,
      decided double precision not null,
      refused double precision not null,
      last_at timestamptz not null,
      primary key (org_id, policy_id, quarter))
      with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    this.addSql(`create index policy_hits_age on ${SCHEMA}.policy_hits (quarter)`);
    for (const statement of protectTable('policy_hits', 'select, insert, update (hits, decided, refused, last_at)'))
      this.addSql(statement);
    this.addSql(`grant delete on ${SCHEMA}.policy_hits to ${LOOKUP_ROLE}`);
    this.addSql(`create policy policy_hits_forget on ${SCHEMA}.policy_hits for delete to ${LOOKUP_ROLE} using (true)`);
    const reads = { policy_hits: ['org_id', 'policy_id', 'quarter'] };
    for (const statement of crossOrganizationFunction(...FORGET_HITS, reads)) this.addSql(statement);
  }
}
