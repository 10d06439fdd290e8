/** How the library reaches PostgreSQL. */
export interface DatabaseOptions {
  /** Connection URL. At run time every connection works as {@link APP_ROLE}, whatever role the URL names. */
  url: string;
  /** Connections of this process, besides one that listens. Default: 10. */
  poolSize?: number;
  /**
   * Milliseconds after which PostgreSQL ends a statement; a second later its connection counts as lost. Long work, such as
   * migrations, has bounds of its own. Default: 10,000.
   */
  queryTimeoutMs?: number;
  /** How changes made on one replica reach the others. */
  changes?: {
    /** Milliseconds between two looks for changes whose notification was lost. Default: 250. */
    pollIntervalMs?: number;
    /** Listen for notifications. Without it, only the poll brings changes. Default: true. */
    listen?: boolean;
  };
}

/** Injection token of {@link DatabaseOptions}. */
export const DATABASE_OPTIONS = Symbol('governance.database-options');

/** PostgreSQL schema of all tables. */
export const SCHEMA = 'governance';

/** The role that the app works as: it owns nothing and row-level security applies to it. */
export const APP_ROLE = 'governance_app';

/** Owner of the few functions that may look across organizations; nobody can log in as it. */
export const LOOKUP_ROLE = 'governance_lookup';
