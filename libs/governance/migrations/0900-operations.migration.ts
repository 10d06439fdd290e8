import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

/** Query of operators across organizations. It reads only the ids of organizations, the oldest first. */
export class OperationsMigration0900 extends Migration {
  override up(): void {
    const statements = crossOrganizationFunction(
      'organization_ids()',
      `returns setof uuid language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select o.id from ${SCHEMA}.organizations o order by o.created_at, o.id $$`,
      { organizations: ['id', 'created_at'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
