import { APP_ROLE, type OrgDatabase } from '#database';

/** The remedy if a pooler does not forward the startup parameter `options`. */
export const ROLE_REMEDY =
  `Connections must arrive as ${APP_ROLE}. A pooler that drops the startup parameter "options" loses the role: as an ` +
  `administrator, run ALTER ROLE <login of the pooler> SET role = '${APP_ROLE}' (docs/scale.md, "PgBouncer").`;

/**
 * Returns the database if its connections use the app's role. Otherwise closes it, because row-level security might not
 * apply to another role.
 * @throws Error with the remedy
 */
export async function assertAppRole(database: OrgDatabase): Promise<OrgDatabase> {
  try {
    const [row] = await database.global<{ role: string }>('select current_user as role');
    if (row?.role !== APP_ROLE) throw new Error(`Connections arrive as ${row?.role ?? 'nobody'}. ${ROLE_REMEDY}`);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
