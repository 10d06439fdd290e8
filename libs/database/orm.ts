import { MikroORM, type EntityClass, type Options } from '@mikro-orm/postgresql';
import { APP_ROLE, SCHEMA, type DatabaseOptions } from './database.options.js';
import { resilientClient } from './resilient-client.js';

/** No statement of this library takes long; one that does waits for a connection that is gone. */
const QUERY_TIMEOUT_MS = 10_000;

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
  return {
    contextName: 'governance',
    entities: [...entities],
    discovery: { warnWhenNoEntities: false },
    dbName: databaseName(options.url),
    clientUrl: options.url,
    schema: SCHEMA,
    ensureDatabase: false,
    driverOptions: {
      connectionString: role === null ? options.url : urlWithRole(options.url, role),
      Client: resilientClient(),
      application_name: 'nest-llm-governance',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      // Migrations may take as long as they need.
      ...(role === null ? {} : { query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS }),
    },
    pool: { min: 0, max: options.poolSize ?? 10 },
  };
}

/** pg lets `options` of the URL win over those of the configuration without a word, so the role goes into the URL. */
export function urlWithRole(url: string, role: string): string {
  const withRole = new URL(url);
  withRole.searchParams.set('options', `${withRole.searchParams.get('options') ?? ''} -c role=${role}`.trim());
  return withRole.href;
}

function databaseName(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
  } catch {
    throw new Error('database.url: is not a URL; it looks like postgres://user:password@host:5432/database');
  }
}
