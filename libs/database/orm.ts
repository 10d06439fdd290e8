import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type EntityClass, type Options } from '@mikro-orm/postgresql';
import { APP_ROLE, SCHEMA, type DatabaseOptions } from './database.options.js';
import { ANSWER_GRACE_MS, resilientClient } from './resilient-client.js';

/** Most statements take milliseconds. Those that may take longer say so: see {@link OrgDatabase}. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** An index on a table of some hundred million rows takes less. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/**
 * Opens this library's own MikroORM. Connections take {@link APP_ROLE} as their first act, whatever role the URL
 * names, so that row-level security holds for a superuser's URL too.
 */
export function openOrm(options: DatabaseOptions, entities: readonly EntityClass<object>[]): Promise<MikroORM> {
  return MikroORM.init(ormOptions(options, entities, APP_ROLE));
}

/** MikroORM options; `role` null keeps the URL's own role (migrations). */
export function ormOptions(
  options: DatabaseOptions,
  entities: readonly EntityClass<object>[],
  role: string | null,
): Options {
  const timeoutMs = options.queryTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  return {
    contextName: 'governance',
    entities: [...entities],
    discovery: { warnWhenNoEntities: false },
    // MikroORM would look for it in node_modules, and load its other packages a second time beside those of a bundle.
    extensions: [Migrator],
    dbName: databaseName(options.url),
    clientUrl: options.url,
    schema: SCHEMA,
    ensureDatabase: false,
    driverOptions: {
      connectionString: role === null ? migrationUrl(options.url) : urlWithRole(options.url, role, timeoutMs),
      Client: resilientClient(options.preparedStatements ?? true),
      application_name: 'nest-llm-governance',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      ...(role === null ? {} : { query_timeout: timeoutMs + ANSWER_GRACE_MS }),
    },
    pool: { min: 0, max: options.poolSize ?? 10 },
  };
}

/** The URL of a connection that works as a role, with a bound for its statements unless the URL sets one itself. */
export function urlWithRole(url: string, role: string, statementTimeoutMs = STATEMENT_TIMEOUT_MS): string {
  return urlWithSettings(url, `-c statement_timeout=${statementTimeoutMs}`, `-c role=${role}`);
}

/** The URL of a connection for migrations, whatever bound is set for the role that it logs in as. */
export function migrationUrl(url: string): string {
  return urlWithSettings(url, `-c statement_timeout=${MIGRATION_TIMEOUT_MS}`);
}

/**
 * pg lets `options` of the URL win over those of the configuration without a word, so settings go into the URL: of two
 * for one name PostgreSQL takes the last. Poolers refuse most startup parameters; `options` they must pass on anyway.
 */
function urlWithSettings(url: string, before: string, after = ''): string {
  const changed = new URL(url);
  changed.searchParams.set('options', `${before} ${changed.searchParams.get('options') ?? ''} ${after}`.trim());
  return changed.href;
}

function databaseName(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
  } catch {
    throw new Error('database.url: is not a URL; it looks like postgres://user:password@host:5432/database');
  }
}
