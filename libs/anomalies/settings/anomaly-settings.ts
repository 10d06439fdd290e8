import { DEFAULT_WATCH_SETTINGS, type WatchSettings } from '../detect/index.js';

/** Detection settings of an organization. */
export interface AnomalySettings extends WatchSettings {
  /** Whether days of a person that are far above the person's past raise alarms. */
  readonly usageSpikes: boolean;
  /** Whether hours of the whole organization that are far above its past raise alarms. */
  readonly organizationSpikes: boolean;
  /** Whether unusual days of people who will leave soon raise alarms, with lower limits. */
  readonly preDeparture: boolean;
  /**
   * Name of the user attribute that marks a user as about to leave. A departure date has the same effect. Null: no
   * attribute is used.
   */
  readonly leaverAttribute: string | null;
}

/** Defaults for organizations without settings. */
export const DEFAULT_ANOMALY_SETTINGS: AnomalySettings = {
  ...DEFAULT_WATCH_SETTINGS,
  usageSpikes: true,
  organizationSpikes: true,
  preDeparture: true,
  leaverAttribute: 'leaving',
};

/** The settings with the names of the API and the audit log. */
export function settingsView(settings: AnomalySettings) {
  return {
    sensitivity: settings.sensitivity,
    quiet_days: settings.quietDays,
    minimum_requests: settings.minimum.requests,
    minimum_tokens: settings.minimum.tokens,
    minimum_cost_usd: settings.minimum.cost_usd,
    usage_spikes: settings.usageSpikes,
    organization_spikes: settings.organizationSpikes,
    pre_departure: settings.preDeparture,
    leaver_attribute: settings.leaverAttribute,
  };
}
