import type { JsonObject } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { Finding } from '../../adapter/api-adapter.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { COLUMN_TABLES } from './account-rights.js';
import { tableOf, type ServiceNowSecrets, type ServiceNowSettings } from './connector.js';
import { askTable, fieldOf, recordsIn } from './table-api.js';

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

/**
 * A table also has the columns of the tables that it extends. The table of incidents extends one table; custom tables
 * may extend more.
 */
const PARENTS = [1, 2, 3, 4, 5].map(depth => `${'super_class.'.repeat(depth)}name`);

/**
 * A column that every table has. If the dictionary does not show this column, the account may not read the dictionary.
 */
const EVERYWHERE = 'sys_id';

/** Maximum number of entries that are read: at most 50 fields in each of the tables. */
const MOST_ENTRIES = '500';

const UNREADABLE =
  `The account may not read the tables ${Object.values(COLUMN_TABLES).join(' and ')}, so the names are not checked. The ` +
  'instance ignores names that it does not know: look at the test ticket.';

/**
 * Checks that the table has the columns in the setting `fields`, because the instance ignores unknown ones. Undefined
 * if the setting is empty.
 */
export async function lookAtColumns(context: Context): Promise<Finding> {
  const [table, wanted] = [tableOf(context.settings), Object.keys(context.settings.fields ?? {})];
  if (wanted.length === 0) return undefined;
  const about = { sysparm_query: `name=${table}`, sysparm_fields: ['name', ...PARENTS].join(), sysparm_limit: '1' };
  const [described] = readable(await askTable(context, COLUMN_TABLES.tables, about), context);
  if (described === undefined) return { warning: UNREADABLE };
  const parents = PARENTS.flatMap(path => fieldOf(described, path) ?? []).filter(name => /^\w+$/.test(name));
  const entries = await askTable(context, COLUMN_TABLES.columns, {
    sysparm_query: `nameIN${[table, ...parents].join()}^elementIN${[EVERYWHERE, ...wanted].join()}`,
    ...{ sysparm_fields: 'name,element', sysparm_limit: MOST_ENTRIES },
  });
  const columns = new Set(readable(entries, context).map(entry => fieldOf(entry, 'element')));
  if (!columns.has(EVERYWHERE)) return { warning: UNREADABLE };
  const unknown = wanted.filter(name => !columns.has(name));
  if (unknown.length === 0) return wanted.join(', ');
  const warning =
    `The table ${table} has no column ${unknown.join(', ')}, or hides it from the account: incidents are created ` +
    `without a value in it.`;
  return { warning };
}

/** The records of an answer. Empty if the account may not read the table. @throws PlatformAnswerError */
function readable(response: AdapterResponse, { clock }: Context): JsonObject[] {
  return response.status === 403 || response.status === 404 ? [] : recordsIn(response, clock);
}
