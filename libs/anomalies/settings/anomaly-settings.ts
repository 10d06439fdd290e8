import { DEFAULT_WATCH_SETTINGS, type WatchSettings } from '../detect/index.js';

/** What an organization wants to be alarmed about, and how readily. */
export interface AnomalySettings extends WatchSettings {
  /** Days of people that are far above their past. */
  readonly usageSpikes: boolean;
  /** Hours of the whole organization that are far above its past. */
  readonly organizationSpikes: boolean;
  /** Unusual days of people who are about to leave, at lower limits. */
  readonly preDeparture: boolean;
  /** The attribute of users that marks somebody as about to leave, beside a departure date. Null: none does. */
  readonly leaverAttribute: string | null;
}

/** What holds where an organization has chosen nothing. */
export const DEFAULT_ANOMALY_SETTINGS: AnomalySettings = {
  ...DEFAULT_WATCH_SETTINGS,
  usageSpikes: true,
  organizationSpikes: true,
  preDeparture: true,
  leaverAttribute: 'leaving',
};

/** The settings in the words of the API and of the audit log. */
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
