import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, LOOKUP_ROLE, protectTable, SCHEMA } from '#database';
import {
  CLAIM_TASKS,
  END_TASKS,
  QUEUES_WITH_DEAD_LETTERS,
  NEXT_TASKS,
  QUARANTINED_TASKS,
  RELEASE_TASKS,
  RENEW_TASKS,
  TASK_BACKLOG,
} from './task-functions.sql.js';
import { RETENTION_FLOORS } from './retention-floors.sql.js';
import { FIRST_ID_OF, KEEP_PARTITIONS } from './partition-functions.sql.js';

/** Creates events, tasks, and the functions with which workers claim the tasks of all organizations. */
export class OutboxMigration0160 extends Migration {
  override up(): void {
    // The only clock for due times and leases, because the clocks of replicas may differ.
    this.addSql(`create function ${SCHEMA}.now() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() $$`);
    this.addSql(`revoke all on function ${SCHEMA}.now() from public`);
    this.addSql(`grant execute on function ${SCHEMA}.now() to ${APP_ROLE}, ${LOOKUP_ROLE}`);

    this.addSql(`create table ${SCHEMA}.events (
      org_id uuid not null,
      id uuid not null,
      type text not null,
      created_at timestamptz not null,
      body bytea not null,
      primary key (org_id, id)) partition by range (id)`);
    this.addSql(`create table ${SCHEMA}.events_default partition of ${SCHEMA}.events default`);
    this.addSql(protectTable('events', 'select, insert, update (body)').join(';'));

    // Rows are narrow and updated often. Free space is therefore left on each page, and vacuum runs early.
    this.addSql(`create table ${SCHEMA}.tasks (
      org_id uuid not null,
      id uuid not null,
      queue text collate "C" not null,
      key text collate "C" not null,
      due_at timestamptz not null,
      attempt integer not null,
      lease_token uuid,
      interruptions integer not null default 0,
      interrupted_at timestamptz,
      faults integer not null default 0,
      fault text,
      quarantined_at timestamptz,
      subject jsonb not null,
      primary key (org_id, id))
      with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
            autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2)`);
    this.addSql(`create index tasks_due on ${SCHEMA}.tasks (queue, key, due_at, id) where quarantined_at is null`);
    this.addSql(`create index tasks_dead on ${SCHEMA}.tasks (queue, quarantined_at) where quarantined_at is not null`);
    this.addSql(protectTable('tasks', 'select, insert, update, delete').join(';'));

    this.addSql(`create table ${SCHEMA}.task_holds (
      org_id uuid not null,
      queue text collate "C" not null,
      key text collate "C" not null,
      primary key (org_id, queue, key))`);
    this.addSql(`create index task_holds_key on ${SCHEMA}.task_holds (queue, key)`);
    this.addSql(protectTable('task_holds', 'select, insert, delete').join(';'));

    this.addSql(
      `grant update (due_at, lease_token, interruptions, interrupted_at) on ${SCHEMA}.tasks to ${LOOKUP_ROLE}`,
    );
    // Claimed rows are updated by their ctid. PostgreSQL cannot grant this column alone, so the whole table is granted.
    this.addSql(`grant select on ${SCHEMA}.tasks to ${LOOKUP_ROLE}`);
    this.addSql(
      `create policy tasks_claim on ${SCHEMA}.tasks for update to ${LOOKUP_ROLE} using (true) with check (true)`,
    );
    const reads = {
      tasks:
        'org_id, id, queue, key, due_at, attempt, lease_token, interruptions, interrupted_at, fault, quarantined_at, subject'.split(
          ', ',
        ),
      task_holds: ['queue', 'key'],
    };
    const crossing = [
      ...[CLAIM_TASKS, NEXT_TASKS, RENEW_TASKS, RELEASE_TASKS],
      ...[QUARANTINED_TASKS, QUEUES_WITH_DEAD_LETTERS, TASK_BACKLOG],
    ];
    for (const [signature, definition] of crossing) {
      for (const statement of crossOrganizationFunction(signature, definition, reads)) this.addSql(statement);
    }

    this.addSql(`create function ${SCHEMA}.${END_TASKS[0]} ${END_TASKS[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.end_tasks from public`);
    this.addSql(`grant execute on function ${SCHEMA}.end_tasks to ${APP_ROLE}`);

    for (const statement of RETENTION_FLOORS) this.addSql(statement);
    this.addSql(`create function ${SCHEMA}.${FIRST_ID_OF[0]} ${FIRST_ID_OF[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.first_id_of(date) from public`);
    this.addSql(`create function ${SCHEMA}.${KEEP_PARTITIONS[0]} ${KEEP_PARTITIONS[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.keep_partitions(text[], integer, integer) from public`);
    this.addSql(`grant execute on function ${SCHEMA}.keep_partitions(text[], integer, integer) to ${APP_ROLE}`);
  }
}
