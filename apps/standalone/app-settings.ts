/** A variable of the app itself. Other variables set options of the module. */
export interface AppSetting {
  readonly variable: string;
  /** Description in Markdown, for the table of the settings. */
  readonly meaning: string;
  /** Default value in Markdown. */
  readonly fallback: string;
}

/** The variables of the app itself. */
export const APP_SETTINGS: readonly AppSetting[] = [
  { variable: 'HOST', meaning: 'Address or name at which the app listens.', fallback: '`127.0.0.1`' },
  { variable: 'PORT', meaning: 'Port at which the app listens; `0` takes a free one.', fallback: '`3000`' },
  {
    variable: 'GOVERNANCE_DATA_DIR',
    meaning: 'Folder of the embedded database, its passwords and keys. Only one app at a time may use it.',
    fallback: '`.data`',
  },
  {
    variable: 'GOVERNANCE_ORG_ID',
    meaning:
      'UUID of the first organization. The app creates it if it does not exist. Another value creates another organization.',
    fallback: 'generated at the first start',
  },
  {
    variable: 'GOVERNANCE_ADMIN_TOKEN',
    meaning:
      'Admin token of that organization, 32 characters or more. Another value ' +
      '[replaces the token](tokens.md#replace-the-operators-token).',
    fallback: 'generated; [shown once](operate.md#first-token)',
  },
  {
    variable: 'GOVERNANCE_DRAIN_SECONDS',
    meaning:
      'Seconds after `SIGTERM` in which readiness is 503 and requests are still answered, before the port closes; 0 to 300.',
    fallback: '`3`',
  },
  {
    variable: 'GOVERNANCE_LOG_FORMAT',
    meaning: '`json`: one object per line. `text`: lines for people, in color on a terminal.',
    fallback: '`text` on a terminal, else `json`',
  },
  {
    variable: 'GOVERNANCE_LOG_LEVEL',
    meaning: 'Lowest level that is written: `error`, `warn`, `info` or `debug`. Security events are always written.',
    fallback: '`warn`',
  },
  {
    variable: 'GOVERNANCE_ACCESS_LOG',
    meaning: '`true`: a line for every request, with method, path, status and duration; no query and no body.',
    fallback: '`false`',
  },
  {
    variable: 'GOVERNANCE_METRICS',
    meaning: '`true`: [`GET /metrics`](operate.md#metrics) for Prometheus. It needs no credential: do not publish it.',
    fallback: '`false`',
  },
];
