import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '../database.options.js';
import { SCRUBBED_JSON } from '../personal-table.js';
import { createRoles, crossOrganizationFunction, protectTable } from '../roles.js';

/** The schema, its roles, and the versions with which replicas detect changes. */
export class DatabaseMigration0100 extends Migration {
  override up(): void {
    this.addSql(createRoles());
    this.addSql(`create schema if not exists ${SCHEMA}`);
    this.addSql(`grant usage on schema ${SCHEMA} to ${APP_ROLE}`);
    this.addSql(`grant select on ${SCHEMA}.schema_migrations to ${APP_ROLE}`);
    this.addSql(`create table ${SCHEMA}.change_marks (
      org_id uuid not null, topic text not null, version bigint not null, primary key (org_id, topic))`);
    this.addSql(protectTable('change_marks', 'select, insert, update').join(';'));
    const read = crossOrganizationFunction(
      'change_marks_of(orgs uuid[])',
      `returns table (org_id uuid, topic text, version bigint)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select m.org_id, m.topic, m.version from ${SCHEMA}.change_marks m where m.org_id = any(orgs) $$`,
      { change_marks: ['org_id', 'topic', 'version'] },
    );
    for (const statement of read) this.addSql(statement);
    this.addSql(`create function ${SCHEMA}.${SCRUBBED_JSON[0]} ${SCRUBBED_JSON[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.scrubbed_json(jsonb, text) from public`);
    this.addSql(`grant execute on function ${SCHEMA}.scrubbed_json(jsonb, text) to ${APP_ROLE}`);
  }
}
