import { option } from '#core';
import { VALUE_RULES } from '../governance.options.js';

/** One option and the variable of the environment that sets it. */
export interface EnvironmentSetting {
  /** Such as `GOVERNANCE_POOL_SIZE`. */
  readonly variable: string;
  /** Path in the options, such as `database.poolSize`. */
  readonly path: string;
  readonly format: option.OptionFormat;
}

/** Variables whose name does not follow from their option. */
const NAMES = new Map([
  ['database.url', 'DATABASE_URL'],
  ['database.migrationUrl', 'GOVERNANCE_MIGRATION_URL'],
  ['requestsPerMinute', 'GOVERNANCE_RATE_LIMIT'],
  ['failedSignInsPerMinute', 'GOVERNANCE_SIGN_IN_LIMIT'],
  ['devices.publicUrl', 'GOVERNANCE_PUBLIC_URL'],
  ['devices.revokeOnDeparture', 'GOVERNANCE_REVOKE_DEVICES_OF_LEAVERS'],
  ['egress.nameServers', 'GOVERNANCE_DNS_SERVERS'],
  ['outbox.workers', 'GOVERNANCE_WORKERS'],
  ['outbox.retentionDays', 'GOVERNANCE_RETENTION_DAYS'],
  ['decisions.retentionDays', 'GOVERNANCE_DECISION_RETENTION_DAYS'],
  ['incidents.retentionDays', 'GOVERNANCE_INCIDENT_RETENTION_DAYS'],
  ['itsm.retentionDays', 'GOVERNANCE_TICKET_RETENTION_DAYS'],
  ['decisions.sampleAllowed', 'GOVERNANCE_DECISION_SAMPLE'],
  ['decisions.defaultAction', 'GOVERNANCE_DEFAULT_ACTION'],
  ['decisions.unknownUser', 'GOVERNANCE_UNKNOWN_USER'],
  ['usage.focusExportDir', 'GOVERNANCE_FOCUS_EXPORT_DIR'],
  ['webhooks.auditAnchorHours', 'GOVERNANCE_AUDIT_ANCHOR_HOURS'],
  ['webhooks.serviceName', 'GOVERNANCE_SERVICE_NAME'],
  ['budgets.reservationMinutes', 'GOVERNANCE_RESERVATION_MINUTES'],
]);

/**
 * Every value option of `forRoot` with its variable: `GOVERNANCE_` and its path, without `database`; `siem` is
 * `AUDIT_SINK`. A new option of a
 * library gets its variable automatically.
 */
export const ENVIRONMENT_SETTINGS: readonly EnvironmentSetting[] = settingsOf(VALUE_RULES, '');

function settingsOf(rules: option.OptionRules, prefix: string): EnvironmentSetting[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const path = prefix + name;
    if (rule.inside) return settingsOf(rule.inside, `${path}.`);
    return [{ variable: NAMES.get(path) ?? variableOf(path), path, format: rule.format ?? 'text' }];
  });
}

function variableOf(path: string): string {
  const words = path
    .replace(/^database\./, '')
    .replace(/^siem\./, 'audit_sink.')
    .replaceAll('.', '_')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  return `GOVERNANCE_${words.toUpperCase()}`;
}

/** The most similar name, if any, such as for a variable with a typing error. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  return option.nearest(name, names);
}
