import { isStorableText } from './text.js';

/**
 * Service tiers, which providers price differently. `other` is for capacity that was bought in advance (OpenAI's
 * `scale`, Bedrock's `reserved`) and for unknown tiers.
 */
export const SERVICE_TIERS = ['standard', 'batch', 'flex', 'priority', 'other'] as const;

/** A tier of service. */
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** Maximum length of a region. */
export const REGION_MAX_LENGTH = 63;

/** Names that providers use for the tiers, in lower case. */
const TIER_BY_NAME: ReadonlyMap<string, ServiceTier> = new Map([
  // In responses, OpenAI reports the standard tier as `default`. The name `auto` only occurs in requests.
  ...['standard', 'default', 'auto', 'standard_only', 'on_demand'].map(name => [name, 'standard'] as const),
  ['batch', 'batch'],
  ...['flex', 'on_demand_flex'].map(name => [name, 'flex'] as const),
  ...['priority', 'fast', 'on_demand_priority'].map(name => [name, 'priority'] as const),
]);

/**
 * The tier for a provider's name, such as `default` or `ON_DEMAND_FLEX`; `other` for an unknown name. Undefined if the
 * value is empty or not a text, because the provider then names no tier.
 */
export function serviceTierNamed(name: unknown): ServiceTier | undefined {
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  return TIER_BY_NAME.get(name.trim().toLowerCase()) ?? 'other';
}

/** Whether a value is one of {@link SERVICE_TIERS}. */
export function isServiceTier(value: unknown): value is ServiceTier {
  return SERVICE_TIERS.some(tier => tier === value);
}

/** Why a value is not a valid region; undefined if it is valid. */
export function regionDefect(value: unknown): string | undefined {
  const isRegion =
    typeof value === 'string' && value.trim() !== '' && value.length <= REGION_MAX_LENGTH && isStorableText(value);
  return isRegion ? undefined : `must be a text of 1 to ${REGION_MAX_LENGTH} characters, such as eu-west-1`;
}
