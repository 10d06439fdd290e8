import fc from 'fast-check';
import { readInput, TextBody } from '#access';
import { CreateBudgetDto } from '../../../libs/usage/budgets/budget.dto.js';
import { eventFingerprint, parseUsageEvent, type RawEvent } from '../../../libs/usage/events/index.js';
import { parseInstant } from '../../../libs/usage/events/instant.js';
import { acceptsCsv } from '../../../libs/access/csv/accepts-csv.js';
import { discountOf, PutDiscountDto } from '../../../libs/usage/http/discount.dto.js';
import { PutExchangeRateDto, rateOf } from '../../../libs/usage/http/exchange-rate.dto.js';
import { PutPriceDto, termsOf } from '../../../libs/usage/http/price.dto.js';
import { CLOUD_EVENTS, eventsOf, NDJSON } from '../../../libs/usage/http/usage-body.js';
import { parseDateRange } from '../../../libs/usage/periods/date-range.js';
import { PERIODS, parsePeriodLabel } from '../../../libs/usage/periods/period.js';
import { ModelPattern } from '../../../libs/usage/prices/model-pattern.js';
import { usdToPico } from '../../../libs/usage/prices/money.js';
import { anyJson, fields, mustBeJson, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const USER = '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33';
const EVENT = {
  id: 'req_1',
  user_id: USER,
  provider: 'openai',
  model: 'gpt-4o',
  occurred_at: '2026-11-20T11:59:00Z',
  input_tokens: 1_250,
  output_tokens: 310,
};
const USAGES = [
  { inputTokens: { total: 5, cacheRead: 3, noCache: 2 }, outputTokens: { total: 7, reasoning: 2 }, raw: {} },
  { inputTokens: 5, outputTokens: 7, cachedInputTokens: 3, inputTokenDetails: { cacheReadTokens: 3 } },
  { prompt_tokens: 5, completion_tokens: 7, num_cached_tokens: 3 },
  { service_tier: 'flex', usage: { input_tokens: 5, output_tokens: 7, service_tier: 'batch', inference_geo: 'us' } },
  { prompt_tokens: 1_250, completion_tokens: 310, prompt_tokens_details: { cached_tokens: 1_000 } },
  { input_tokens: 5, output_tokens: '7', cache_read_input_tokens: 3, cache_creation: { ephemeral_5m_input_tokens: 1 } },
  { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 2, promptTokensDetails: [{ modality: 'TEXT' }] },
];
const { input_tokens: _input, output_tokens: _output, ...NO_COUNTS } = EVENT;
const EVENTS: unknown[] = [
  EVENT,
  { ...EVENT, cost_usd: '0.000000000001', metadata: { team: 'a', nested: { list: [1, null] } }, requests: 2 },
  { ...NO_COUNTS, usage: USAGES[0], api_flavor: 'chat' },
  { ...NO_COUNTS, provider: 'anthropic', usage: USAGES[1] },
  { ...NO_COUNTS, provider: 'google', usage: USAGES[2] },
];
const ENVELOPE = { specversion: '1.0', id: 'e1', source: '/s', type: 'usage', time: EVENT.occurred_at, subject: USER };
const count = fc.oneof(fc.nat(), fc.double(), fc.constantFrom('7', -1, 1e15));
const event = fields({
  id: text,
  user_id: fc.constant(USER),
  provider: fc.constantFrom('openai', 'anthropic', 'google', 'constructor', 'azure'),
  model: fc.constantFrom('gpt-4o', 'claude-sonnet-4', '__proto__', 'toString'),
  occurred_at: fc.constant(EVENT.occurred_at),
  input_tokens: count,
  output_tokens: count,
  usage: fc.oneof(
    fields({ prompt_tokens: count, completion_tokens: count, prompt_tokens_details: anyJson }),
    fields({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count, cache_creation: anyJson }),
  ),
  api_flavor: fc.constantFrom('chat', 'responses', 'anthropic', 'default', 'constructor'),
  cost_usd: fc.oneof(count, sentence('0', '.', '1', 'e', '-')),
  metadata: anyJson,
});

function readAll(events: readonly RawEvent[]): void {
  for (const entry of events) {
    const result = 'raw' in entry ? parseUsageEvent(entry.raw, NOW) : undefined;
    mustBeJson(result);
    if (result?.ok) eventFingerprint(result.event);
  }
}

const lines = (events: readonly unknown[]): string => events.map(each => JSON.stringify(each)).join('\n');

/** Usage in its three formats, and other inputs with money and time. */
export const USAGE_PARSERS: FuzzedParser[] = [
  {
    kind: 'json',
    name: 'usage, JSON',
    share: 2,
    seeds: [{ events: EVENTS }, ...EVENTS.map(each => ({ events: [each] }))],
    grammar: fc.array(event, { maxLength: 3 }).map(events => ({ events })),
    read: body => readAll(eventsOf(body)),
  },
  {
    kind: 'text',
    name: 'usage, NDJSON',
    share: 2,
    seeds: [lines(EVENTS), lines([EVENT]), `${lines([EVENT])}\r\n\r\n`, '\uFEFF{}'],
    grammar: fc.array(event, { maxLength: 3 }).map(lines),
    read: body => readAll(eventsOf(new TextBody(NDJSON, body))),
  },
  {
    kind: 'json',
    name: 'usage, CloudEvents',
    share: 2,
    seeds: EVENTS.map(data => [{ ...ENVELOPE, data }]),
    grammar: fc.array(
      fields({
        specversion: fc.constant('1.0'),
        id: text,
        source: text,
        type: text,
        subject: fc.oneof(fc.constant(USER), text),
        data: event,
      }),
      { maxLength: 3 },
    ),
    read: body => readAll(eventsOf(new TextBody(CLOUD_EVENTS, JSON.stringify(body)))),
  },
  {
    kind: 'text',
    name: 'usage, time',
    seeds: ['2026-11-20T12:00Z', '2026-11-20t12:00:00,5+0100', '1969-12-31T23:59:59-00:01'],
    grammar: sentence('2026', '-', '11', '20', 'T', '23', ':', '59', '.5', 'Z', '+01:00'),
    read: parseInstant,
  },
  {
    kind: 'text',
    name: 'dates and periods',
    seeds: ['2026-11-20', '2026-W47', '2026-11', '2026-11-20T13:00:00Z', '9999-12-31', '1970-01-01'],
    grammar: sentence('2026', '-', '11', '20', 'W', '53', 'T', '00:00:00Z'),
    read: given => {
      for (const period of PERIODS) parsePeriodLabel(period, given);
      parseDateRange(given, given);
    },
  },
  {
    kind: 'text',
    name: 'amount of money',
    seeds: ['0.000000000001', '1e-12', '999999999999.999', '-0', '1e400', '.5'],
    grammar: sentence('0', '1', '9', '.', 'e', '-', '+', 'Infinity', '0x1'),
    read: usdToPico,
  },
  {
    kind: 'text',
    name: 'model pattern',
    seeds: ['gpt-4*', '*a*a*a*a*a*a*b', '**', 'GPT-4o', 'a*'.repeat(120)],
    grammar: sentence('a', '*', 'ab', '**', 'gpt'),
    read: pattern => new ModelPattern(pattern).matches(`${'a'.repeat(5_000)}${pattern.replaceAll('*', 'a')}`),
  },
  {
    kind: 'text',
    name: 'Accept',
    seeds: ['text/csv', 'text/csv;q=0.5, application/json', '*/*', 'text/*;q=1;q=0, application/*'],
    grammar: sentence('text/csv', 'application/json', '*', ';q=', '0.5', ', ', ','),
    read: acceptsCsv,
  },
  {
    kind: 'json',
    name: 'body of a budget',
    seeds: [
      { name: 'B', scope: 'user', user_id: USER, amount_usd: 10.5, period: 'daily', enforcement: 'block' },
      { name: 'B', scope: 'model', model: 'gpt-4o', amount_usd: 1, period: 'weekly', enforcement: 'notify' },
    ],
    read: body => readInput(CreateBudgetDto, body, 'body'),
  },
  {
    kind: 'json',
    name: 'body of a price',
    seeds: [
      { provider: 'openai', model: 'gpt-4o*', input_per_million_usd: 1, output_per_million_usd: '2.5' },
      { model: 'own', alias: { provider: 'openai', model: 'gpt-4o' }, effective_from: '2026-01-01T00:00:00Z' },
    ],
    read: body => termsOf(readInput(PutPriceDto, body, 'body')),
  },
  {
    kind: 'json',
    name: 'body of a discount',
    seeds: [
      { provider: 'openai', model: 'gpt-4o*', percent_off: '12.5', effective_from: '2026-01-01T00:00:00Z' },
      { percent_off: 100, effective_until: '2026-01-01T00:00:00Z' },
    ],
    read: body => discountOf(readInput(PutDiscountDto, body, 'body')),
  },
  {
    kind: 'json',
    name: 'body of an exchange rate',
    seeds: [
      { currency: 'EUR', date: '2026-01-01', rate: '0.8612' },
      { currency: 'JPY', date: '2026-01-01', rate: 151 },
    ],
    read: body => rateOf(readInput(PutExchangeRateDto, body, 'body')),
  },
];
