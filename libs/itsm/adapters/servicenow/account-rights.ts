/** Rights of the connector's account on the instance. The connector test names them, and docs/tickets.md lists them. */
interface TableRoles {
  readonly read: string;
  readonly write: string;
  /** A role that contains both. */
  readonly both: string;
}

/** Roles for the tables of the platform. For other tables, instances have roles of their own. */
export const TABLE_ROLES: ReadonlyMap<string, TableRoles> = new Map([
  ['incident', { read: 'sn_incident_read', write: 'sn_incident_write', both: 'itil' }],
  ['sn_si_incident', { read: 'sn_si.basic', write: 'sn_si.basic', both: 'sn_si.integration_user' }],
]);

/** New instances accept Basic authentication only from accounts for web services, or with this role. */
export const BASIC_AUTHENTICATION_ROLE = 'snc_basic_auth_api_access';

/** Read to find the assignment group. */
export const GROUP_TABLE = 'sys_user_group';

/** Read to check the names of further fields. */
export const COLUMN_TABLES = { tables: 'sys_db_object', columns: 'sys_dictionary' } as const;

/** The request to an administrator to grant a right. */
export function grantFor(right: 'read' | 'write', table: string): string {
  const roles = TABLE_ROLES.get(table);
  const example = roles === undefined ? '' : `, for example with the role ${roles[right]} or ${roles.both}`;
  return `grant the account ${right} access to the table ${table}${example}.`;
}
