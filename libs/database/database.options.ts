import { option } from '#core';

/** Connection options of PostgreSQL. */
export interface DatabaseOptions {
  /** Connection URL. At run time every connection works as {@link APP_ROLE}, whatever role the URL names. */
  url: string;
  /** URL of a streaming replica for usage reports. Without it, or while it is away or too old: `url`. */
  reportsUrl?: string;
  /** How many seconds the data of `reportsUrl` may be behind. Default: 60. */
  reportsMaxAgeSeconds?: number;
  /** Connections of this process, plus one that listens for notifications. Default: 10. */
  poolSize?: number;
  /**
   * Milliseconds after which PostgreSQL ends a statement; a second later its connection counts as lost. Long work, such
   * as migrations, has its own limits. Default: 10,000.
   */
  queryTimeoutMs?: number;
  /**
   * Prepare the statements that run most often. Turn it off behind a pooler in transaction mode that does not keep
   * prepared statements, such as PgBouncer before 1.21. Default: true.
   */
  preparedStatements?: boolean;
  /** How replicas learn of each other's changes. */
  changes?: {
    /** Milliseconds between polls for changes whose notification was lost. Default: 250. */
    pollIntervalMs?: number;
    /** Listen for notifications. Without it, only the poll brings changes. Default: true. */
    listen?: boolean;
    /**
     * URL that leads to PostgreSQL itself, for the one connection that listens. Set it if `url` leads to a pooler in
     * transaction mode. Default: `url`.
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
    // A longer timer fires at once.
    pollIntervalMs: option.whole(1, 2 ** 31 - 1),
    listen: option.flag(),
    listenUrl: databaseUrl(),
  }),
} satisfies option.RulesOf<DatabaseOptions>;

/** Injection token of {@link DatabaseOptions}. */
export const DATABASE_OPTIONS = Symbol('governance.database-options');

/** PostgreSQL schema of all tables. */
export const SCHEMA = 'governance';

/** The role that the app works as: it owns nothing and row-level security applies to it. */
export const APP_ROLE = 'governance_app';

/** Owner of the few functions that may look across organizations; nobody can log in as it. */
export const LOOKUP_ROLE = 'governance_lookup';

function isDatabaseUrl(value: unknown): boolean {
  return typeof value === 'string' && /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '');
}
