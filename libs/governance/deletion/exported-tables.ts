/** How an export represents the rows of a table. */
export interface TableExport {
  /** Columns that are omitted, because they reveal a secret or its digest. */
  readonly omit?: readonly string[];
  /**
   * Binary columns that contain JSON in UTF-8. Other binary columns are exported in hexadecimal, with the prefix `\x`.
   */
  readonly json?: readonly string[];
  /** Why no row of the table is exported. The rows are still deleted. */
  readonly leftOut?: string;
}

const ALL: TableExport = {};

/**
 * Every table with rows of organizations. If a table is missing in this list, the deletion fails before it begins, and
 * a test fails with the table's name.
 */
export const EXPORTED_TABLES: ReadonlyMap<string, TableExport> = new Map<string, TableExport>(
  Object.entries({
    access_tokens: { omit: ['token_hash', 'previous_hash'] },
    anomalies: ALL,
    anomaly_people: ALL,
    anomaly_settings: ALL,
    anomaly_watches: ALL,
    approvals: ALL,
    audit_heads: { omit: ['mac'] },
    audit_log: ALL,
    audit_redactions: ALL,
    budget_alerts: ALL,
    budget_former_amounts: ALL,
    budget_overrides: ALL,
    budget_windows: ALL,
    budgets: ALL,
    change_marks: { leftOut: 'They count changes for the memory of replicas.' },
    chat_commands: ALL,
    chat_links: ALL,
    chat_notices: ALL,
    chat_workspaces: ALL,
    dashboard_sessions: { omit: ['secret_hash'] },
    dashboard_sign_in_links: { omit: ['code_hash'] },
    decision_keys: ALL,
    decisions: ALL,
    device_authorities: ALL,
    device_certificates: ALL,
    device_enrollments: { omit: ['token_hash'] },
    devices: ALL,
    discounts: ALL,
    events: { json: ['body'] },
    exchange_rates: ALL,
    focus_exports: ALL,
    gateway_providers: ALL,
    identities: ALL,
    incident_entries: ALL,
    incident_occurrences: ALL,
    incidents: ALL,
    itsm_connectors: ALL,
    itsm_inbound_settings: ALL,
    itsm_parked_updates: ALL,
    itsm_report_events: ALL,
    limit_counters: ALL,
    limit_ends: ALL,
    limit_leases: ALL,
    limits: ALL,
    open_calls: ALL,
    organizations: ALL,
    policies: ALL,
    policy_hits: ALL,
    policy_versions: ALL,
    prices: ALL,
    reservations: ALL,
    scim_emails: ALL,
    scim_group_members: ALL,
    scim_groups: ALL,
    scim_totals: ALL,
    scim_users: ALL,
    secrets: { leftOut: 'Secrets are never exported.' },
    siem_records: ALL,
    siem_streams: ALL,
    task_holds: ALL,
    tasks: ALL,
    tickets: ALL,
    usage_adjustments: ALL,
    usage_attributions: ALL,
    usage_daily: ALL,
    usage_dimension_values: ALL,
    usage_event_keys: ALL,
    usage_events: ALL,
    usage_hourly: ALL,
    usage_reratings: ALL,
    usage_totals: ALL,
    usage_touched_hours: { leftOut: 'They name hours whose sums are to be checked.' },
    users: ALL,
    webhook_attempts: ALL,
    webhook_deliveries: ALL,
    webhook_hours: ALL,
    webhooks: ALL,
  }),
);

/** Tables that contain no rows of organizations. */
export const SHARED_TABLES: ReadonlySet<string> = new Set([
  'key_checks',
  'rate_limits',
  'retention_floors',
  'schema_migrations',
]);
