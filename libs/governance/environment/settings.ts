import { option } from '#core';
import { VALUE_RULES } from '../governance.options.js';

/** One option, and the environment variable that sets it. */
export interface EnvironmentSetting {
  /** Name of the variable, such as `GOVERNANCE_POOL_SIZE`. */
  readonly variable: string;
  /** Path of the option, such as `database.poolSize`. */
  readonly path: string;
  readonly format: option.OptionFormat;
}

/** Variables whose names are not derived from the path of the option. */
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
 * All options of `forRoot` that contain values, with their variables. The name of a variable is `GOVERNANCE_` and the
 * path of the option, without `database`; `siem` becomes `AUDIT_SINK`. A new option of a library automatically gets a
 * variable.
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

/** The most similar name, for example if a variable has a typing error; undefined if no name is similar. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  return option.nearest(name, names);
}
