import { regionDefect, serviceTierNamed, type ServiceTier } from '#core';
import { isRecord } from './field-reader.js';

/** Tier and region that a provider's response names; each is undefined if the response does not name it. */
export interface ReportedTerms {
  readonly serviceTier: ServiceTier | undefined;
  readonly region: string | undefined;
}

const UNREPORTED: ReportedTerms = { serviceTier: undefined, region: undefined };

/** Values of Anthropic's `inference_geo` for regions that have no separate price. */
const NO_REGION: ReadonlySet<string> = new Set(['global', 'not_available']);

/**
 * The tier and the region, from a provider's usage object or from the response that contains it. OpenAI sends
 * `service_tier` beside `usage`. Anthropic sends `service_tier`, `speed` and `inference_geo` within `usage`. Google
 * sends `trafficType` or `serviceTier` within `usageMetadata`. Bedrock sends `serviceTier.type`.
 */
export function reportedTerms(usage: unknown): ReportedTerms {
  if (!isRecord(usage)) return UNREPORTED;
  const inner = [usage['usage'], usage['usageMetadata'], usage['usage_metadata']].find(isRecord);
  const parts = inner ? [inner, usage] : [usage];
  return { serviceTier: first(parts, tierIn), region: first(parts, regionIn) };
}

type Part = Readonly<Record<string, unknown>>;

function first<Value>(parts: readonly Part[], read: (part: Part) => Value | undefined): Value | undefined {
  for (const part of parts) {
    const value = read(part);
    if (value !== undefined) return value;
  }
  return undefined;
}

function tierIn(part: Part): ServiceTier | undefined {
  // Anthropic's fast mode has a separate price and is not one of the tiers.
  if (part['speed'] === 'fast') return 'other';
  const { service_tier: snake, serviceTier: camel, trafficType, traffic_type: traffic } = part;
  const name = snake ?? (isRecord(camel) ? camel['type'] : camel) ?? trafficType ?? traffic;
  return serviceTierNamed(name);
}

function regionIn(part: Part): string | undefined {
  const { inference_geo: geo } = part;
  if (typeof geo !== 'string' || regionDefect(geo) !== undefined) return undefined;
  const region = geo.trim();
  return NO_REGION.has(region.toLowerCase()) ? undefined : region;
}
