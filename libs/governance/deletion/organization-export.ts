import { SCHEMA, type StatementClient } from '#database';
import { EXPORTED_TABLES } from './exported-tables.js';
import type { ExportedFile, ExportFolder, ExportManifest } from './export-folder.js';
import type { OrganizationTable } from './organization-tables.js';

/** The configuration as in `GET /v1/configuration`, or the reason why it cannot be exported. */
export type ExportedConfiguration = { readonly document: object } | { readonly fault: string };

/** The organization, and the additional content of its export. */
export interface ExportSubject {
  readonly orgId: string;
  readonly name: string;
  readonly configuration: ExportedConfiguration;
  readonly now: Date;
}

const ROWS_AT_ONCE = 1_000;

const COLUMNS = `
select quote_ident(a.attname) as column, array_position(i.indkey::int2[], a.attnum) as place from pg_attribute a
left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`;

const NEWEST = `select name from ${SCHEMA}.schema_migrations order by id desc limit 1`;

/**
 * Writes all rows of an organization, in one snapshot of the database, as one JSON Lines file per table, and the
 * configuration. The manifest is written last.
 */
export async function exportOrganization(
  client: StatementClient,
  folder: ExportFolder,
  tables: readonly OrganizationTable[],
  { orgId, name, configuration, now }: ExportSubject,
): Promise<ExportManifest> {
  await folder.begin(orgId);
  const files: ExportedFile[] = [];
  if ('document' in configuration) {
    files.push(await folder.write('configuration.json', [`${JSON.stringify(configuration.document, null, 2)}\n`]));
  }
  await client.query('begin isolation level repeatable read read only');
  await client.query(`select set_config('governance.org_id', $1, true), set_config('timezone', 'UTC', true)`, [orgId]);
  const { rows } = await client.query<{ name: string }>(NEWEST);
  for (const table of tables.filter(isShown)) {
    const counter = { rows: 0 };
    const written = await folder.write(`tables/${table.name}.jsonl`, linesOf(client, table, counter));
    files.push({ ...written, table: table.name, rows: counter.rows });
  }
  await client.query('commit');
  const manifest: ExportManifest = {
    format: 1,
    organization: { id: orgId, name },
    exported_at: now.toISOString(),
    schema: rows[0]?.name ?? '',
    files,
    left_out: {
      ...Object.fromEntries(entriesOf(tables, 'leftOut')),
      ...('fault' in configuration ? { configuration: configuration.fault } : {}),
    },
    omitted_columns: Object.fromEntries(entriesOf(tables, 'omit')),
  };
  await folder.finish(manifest);
  return manifest;
}

function isShown({ name }: OrganizationTable): boolean {
  return EXPORTED_TABLES.get(name)?.leftOut === undefined;
}

function entriesOf<Key extends 'leftOut' | 'omit'>(tables: readonly OrganizationTable[], key: Key) {
  return tables.flatMap(({ name }) => {
    const value = EXPORTED_TABLES.get(name)?.[key];
    return value === undefined ? [] : [[name, value] as const];
  });
}

interface ColumnRow {
  column: string;
  /** Position of the column in the primary key; null for other columns. */
  place: number | null;
}

/** Orders by the primary key, so that equal rows always result in equal exports. */
function orderOf(columns: readonly ColumnRow[]): string {
  const key = columns.flatMap(({ column, place }) => (place === null ? [] : [{ column, place }]));
  const names = key.toSorted((a, b) => a.place - b.place).map(({ column }) => column);
  return names.length === 0 ? '' : `order by ${names.join(', ')}`;
}

/** JSON columns are exported unchanged, because the hashes of the audit log were computed over their text. */
function shownColumn(column: string, json: readonly string[]): string {
  return json.includes(column) ? `convert_from(${column}, 'UTF8')::json as ${column}` : column;
}

async function* linesOf(
  client: StatementClient,
  { name, column }: OrganizationTable,
  counter: { rows: number },
): AsyncGenerator<string> {
  const { omit = [], json = [] } = EXPORTED_TABLES.get(name) ?? {};
  const { rows: columns } = await client.query<ColumnRow>(COLUMNS, [`${SCHEMA}.${name}`]);
  const shown = columns.filter(each => !omit.includes(each.column)).map(each => shownColumn(each.column, json));
  // A cursor limits the memory that the database and this process need. A cursor's statement cannot have bind
  // parameters.
  await client.query(
    `declare exported no scroll cursor for select row_to_json(t)::text as line from (
       select ${shown.join(', ')} from ${SCHEMA}.${name} where ${column} = current_setting('governance.org_id')::uuid
       ${orderOf(columns)}) t`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${ROWS_AT_ONCE} from exported`);
    if (rows.length === 0) break;
    counter.rows += rows.length;
    // Within a stored JSON document, line breaks are only white space between tokens, so they can be replaced by
    // spaces.
    yield rows.map(({ line }) => `${line.replaceAll('\n', ' ')}\n`).join('');
  }
  await client.query('close exported');
}
