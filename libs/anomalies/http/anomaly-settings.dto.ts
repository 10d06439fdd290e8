import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f, FlagField, IgnoresReadOnly, IntegerField, NumberField, TextField } from '#access';
import { SENSITIVITIES, type Sensitivity } from '../detect/index.js';
import {
  DEFAULT_ANOMALY_SETTINGS as DEFAULTS,
  settingsView,
  type AnomalySettings,
} from '../settings/anomaly-settings.js';
import type { ChosenSettings } from '../settings/anomaly-settings.service.js';

const MOST = 1e15;

/** Settings to change. Missing fields stay unchanged. */
@ApiSchema({ name: 'GovernanceAnomalySettingsDto' })
@IgnoresReadOnly('updated_at')
export class AnomalySettingsDto {
  @ChoiceField(SENSITIVITIES, {
    optional: true,
    default: DEFAULTS.sensitivity,
    description: '`high`: narrower limits, more alarms. `low`: wider limits, fewer alarms.',
  })
  sensitivity?: Sensitivity;

  @IntegerField({
    ...{ optional: true, min: 1, max: 30, default: DEFAULTS.quietDays },
    description: 'Days without an unusual value after which an episode ends. One episode raises one alarm.',
  })
  quiet_days?: number;

  @NumberField({
    ...{ optional: true, min: 0, max: MOST, default: DEFAULTS.minimum.requests },
    description:
      'Minimum requests per user and day for an alarm. For the organization, the minimum per hour is ten times as high.',
  })
  minimum_requests?: number;

  @NumberField({
    ...{ optional: true, min: 0, max: MOST, default: DEFAULTS.minimum.tokens },
    description: 'Minimum tokens per user and day for an alarm. For the organization: ten times as many per hour.',
  })
  minimum_tokens?: number;

  @NumberField({
    ...{ optional: true, min: 0, max: MOST, default: DEFAULTS.minimum.cost_usd },
    description: 'Minimum US dollars per user and day for an alarm. For the organization: ten times as much per hour.',
  })
  minimum_cost_usd?: number;

  @FlagField({ optional: true, default: DEFAULTS.usageSpikes, description: 'Detect unusual days of users.' })
  usage_spikes?: boolean;

  @FlagField({
    optional: true,
    default: DEFAULTS.organizationSpikes,
    description: 'Detect unusual hours of the whole organization.',
  })
  organization_spikes?: boolean;

  @FlagField({
    optional: true,
    default: DEFAULTS.preDeparture,
    description: 'Use narrower limits and a higher severity for users who are about to leave.',
  })
  pre_departure?: boolean;

  @TextField({
    ...{ optional: true, nullable: true, max: 255, default: DEFAULTS.leaverAttribute },
    description:
      'Name of a user attribute. Users with the value true count as about to leave, like users with a departure date.',
    example: 'leaving',
  })
  leaver_attribute?: string | null;
}

/** The settings of an organization. */
@ApiSchema({ name: 'GovernanceAnomalySettingsResponseDto' })
export class AnomalySettingsResponseDto extends dtoOf({
  sensitivity: f.choice(SENSITIVITIES, 'medium'),
  quiet_days: f.integer(2),
  minimum_requests: f.decimal(10),
  minimum_tokens: f.decimal(10_000),
  minimum_cost_usd: f.decimal(1),
  usage_spikes: f.flag(true),
  organization_spikes: f.flag(true),
  pre_departure: f.flag(true),
  leaver_attribute: f.text('leaving').nullable(),
  updated_at: f.instant(null, 'Time of the last change; null for the default settings.').nullable(),
}) {}

/** Applies the settings of a body to the given settings. */
export function settingsFrom(body: AnomalySettingsDto, base: AnomalySettings): AnomalySettings {
  return {
    sensitivity: body.sensitivity ?? base.sensitivity,
    quietDays: body.quiet_days ?? base.quietDays,
    minimum: {
      requests: body.minimum_requests ?? base.minimum.requests,
      tokens: body.minimum_tokens ?? base.minimum.tokens,
      cost_usd: body.minimum_cost_usd ?? base.minimum.cost_usd,
    },
    usageSpikes: body.usage_spikes ?? base.usageSpikes,
    organizationSpikes: body.organization_spikes ?? base.organizationSpikes,
    preDeparture: body.pre_departure ?? base.preDeparture,
    leaverAttribute: body.leaver_attribute === undefined ? base.leaverAttribute : body.leaver_attribute,
  };
}

/** Maps the settings to the API. */
export function presentSettings({ settings, updatedAt }: ChosenSettings): AnomalySettingsResponseDto {
  return { ...settingsView(settings), updated_at: updatedAt?.toISOString() ?? null };
}
