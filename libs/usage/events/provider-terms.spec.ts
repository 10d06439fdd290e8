import { describe, expect, it } from '@jest/globals';
import { parseUsageEvent } from './parse-usage-event.js';
import { reportedTerms } from './provider-terms.js';

const openai = { prompt_tokens: 5, completion_tokens: 2 };
const anthropic = { input_tokens: 5, output_tokens: 2 };

describe('reportedTerms', () => {
  it.each([
    ["OpenAI's answer", { id: 'x', service_tier: 'default', usage: openai }, 'standard'],
    ["OpenAI's flex tier", { service_tier: 'flex', usage: openai }, 'flex'],
    ["OpenAI's priority tier", { service_tier: 'priority', usage: openai }, 'priority'],
    ["OpenAI's scale tier", { service_tier: 'scale', usage: openai }, 'other'],
    ["Anthropic's usage", { ...anthropic, service_tier: 'batch' }, 'batch'],
    ["Anthropic's answer", { service_tier: null, usage: { ...anthropic, service_tier: 'priority' } }, 'priority'],
    ["Anthropic's fast mode", { ...anthropic, service_tier: 'standard', speed: 'fast' }, 'other'],
    ["Google's traffic type", { usageMetadata: { promptTokenCount: 5, trafficType: 'ON_DEMAND_FLEX' } }, 'flex'],
    ["Google's provisioned throughput", { trafficType: 'PROVISIONED_THROUGHPUT' }, 'other'],
    ["Bedrock's answer", { usage: { inputTokens: 5 }, serviceTier: { type: 'priority' } }, 'priority'],
    ['a usage object without a tier', openai, undefined],
    ['a value that is not an object', 'flex', undefined],
  ])('reads the tier of %s', (_, usage, tier) => {
    expect(reportedTerms(usage).serviceTier).toBe(tier);
  });

  it.each([
    ['us', 'us'],
    ['global', undefined],
    ['not_available', undefined],
    [' ', undefined],
    [7, undefined],
  ])("reads the region %j of Anthropic's usage as %j", (geo, region) => {
    expect(reportedTerms({ ...anthropic, inference_geo: geo }).region).toBe(region);
    expect(reportedTerms({ usage: { ...anthropic, inference_geo: geo } }).region).toBe(region);
  });
});

describe('parseUsageEvent', () => {
  const now = new Date('2026-11-20T13:00:00Z');
  const event = {
    id: 'e',
    user_email: 'a@b.c',
    provider: 'anthropic',
    model: 'm',
    occurred_at: '2026-11-20T12:00:00Z',
  };
  const usage = { ...anthropic, service_tier: 'batch', inference_geo: 'us' };
  const termsOf = (fields: object) => {
    const result = parseUsageEvent({ ...event, ...fields }, now);
    return result.ok ? [result.event.serviceTier, result.event.region] : result.field;
  };

  it("takes tier and region from the provider's usage object, unless the event has its own", () => {
    expect(termsOf({ usage })).toEqual(['batch', 'us']);
    expect(termsOf({ usage, service_tier: 'flex', region: ' eu-west-1 ' })).toEqual(['flex', 'eu-west-1']);
    expect(termsOf({ usage, service_tier: null, region: null })).toEqual(['batch', 'us']);
    expect(termsOf({ usage: anthropic })).toEqual(['standard', null]);
  });

  it('refuses a tier or a region that cannot be stored', () => {
    for (const service_tier of ['gold', 'Batch', '', 5, {}])
      expect(termsOf({ usage, service_tier })).toBe('service_tier');
    for (const region of ['', ' ', 'x'.repeat(64), 5, 'a\0']) expect(termsOf({ usage, region })).toBe('region');
  });
});
