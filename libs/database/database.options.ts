import { option } from '#core';

/** Connection options of PostgreSQL. */
export interface DatabaseOptions {
  /** Connection URL. At run time, every connection uses {@link APP_ROLE}, regardless of the role in the URL. */
  url: string;
  /** URL of a streaming replica for usage reports. If it is missing, down or too far behind, reports use `url`. */
  reportsUrl?: string;
  /** Maximum lag of `reportsUrl` in seconds. Default: 60. */
  reportsMaxAgeSeconds?: number;
  /** Maximum number of connections of this process. One more connection listens for notifications. Default: 10. */
  poolSize?: number;
  /**
   * Statement timeout in milliseconds. If there is no response one second after the timeout, the connection counts as
   * lost. Long work, such as migrations, has its own limits. Default: 10,000.
   */
  queryTimeoutMs?: number;
  /**
   * Whether to prepare frequent statements. Disable it behind a pooler in transaction mode that does not support
   * prepared statements, such as PgBouncer before 1.21. Default: true.
   */
  preparedStatements?: boolean;
  /** How replicas learn of each other's changes. */
  changes?: {
    /** Milliseconds between polls for changes whose notification was lost. Default: 250. */
    pollIntervalMs?: number;
    /** Whether to listen for notifications. If false, changes are found only by polling. Default: true. */
    listen?: boolean;
    /**
     * URL for the connection that listens for notifications. It must lead directly to PostgreSQL. Set it if `url` leads
     * to a pooler in transaction mode. Default: `url`.
     */
    listenUrl?: string;
  };
}

/** A connection URL of PostgreSQL. */
export function databaseUrl(): option.OptionRule {
  return option.rule(isDatabaseUrl, 'must be a URL such as postgres://user:password@host:5432/database');
}

/** Rules that the options must satisfy. */
export const DATABASE_RULES = {
  url: option.required(
    databaseUrl(),
    'Set GovernanceModule options.database.url to the URL of your PostgreSQL, such as ' +
      'postgres://user:password@host:5432/database',
  ),
  reportsUrl: databaseUrl(),
  reportsMaxAgeSeconds: option.whole(1, 86_400),
  poolSize: option.whole(1, 10_000),
  queryTimeoutMs: option.whole(1, 86_400_000),
  preparedStatements: option.flag(),
  changes: option.section({
    // Node.js fires timers with a longer delay immediately.
    pollIntervalMs: option.whole(1, 2 ** 31 - 1),
    listen: option.flag(),
    listenUrl: databaseUrl(),
  }),
} satisfies option.RulesOf<DatabaseOptions>;

/** Injection token of {@link DatabaseOptions}. */
export const DATABASE_OPTIONS = Symbol('governance.database-options');

/** PostgreSQL schema of all tables. */
export const SCHEMA = 'governance';

/** The role of the app at run time. It owns no objects, and row-level security applies to it. */
export const APP_ROLE = 'governance_app';

/** Owner of the few functions that may read across organizations. Nobody can log in as it. */
export const LOOKUP_ROLE = 'governance_lookup';

function isDatabaseUrl(value: unknown): boolean {
  return typeof value === 'string' && /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '');
}
