import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type EntityClass, type Options } from '@mikro-orm/postgresql';
import { APP_ROLE, SCHEMA, type DatabaseOptions } from './database.options.js';
import { ANSWER_GRACE_MS, resilientClient } from './resilient-client.js';

/** Default statement timeout in milliseconds. Longer work sets its own timeout: see {@link OrgDatabase}. */
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * Statement timeout of migrations in milliseconds. It is long enough to build an index on some hundred million rows.
 */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/**
 * Opens this package's own MikroORM. Each connection switches to {@link APP_ROLE} first, so that row-level security
 * applies even if the URL names a superuser.
 */
export function openOrm(options: DatabaseOptions, entities: readonly EntityClass<object>[]): Promise<MikroORM> {
  return MikroORM.init(ormOptions(options, entities, APP_ROLE));
}

/** MikroORM options. With `role` null, connections keep the role of the URL (for migrations). */
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
    // Without this option, MikroORM searches node_modules, and a bundled app would load its packages twice.
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

/** Adds a role to a URL, and a statement timeout unless the URL sets one. */
export function urlWithRole(url: string, role: string, statementTimeoutMs = STATEMENT_TIMEOUT_MS): string {
  return urlWithSettings(url, `-c statement_timeout=${statementTimeoutMs}`, `-c role=${role}`);
}

/** URL for migrations, without the statement timeout of the login role. */
export function migrationUrl(url: string): string {
  return urlWithSettings(url, `-c statement_timeout=${MIGRATION_TIMEOUT_MS}`);
}

/**
 * Adds settings to the `options` of a URL. In pg, these silently override the `options` of the configuration, so the
 * settings must be part of the URL. If a name occurs twice, PostgreSQL uses the last value. Poolers refuse most startup
 * parameters but must forward `options`.
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
