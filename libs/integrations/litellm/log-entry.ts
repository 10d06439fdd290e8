import { isStorableText, regionDefect, serviceTierNamed, shortened } from '#core';
import type { EventRefusal } from '#usage';
import { isRecord, memberOf, type JsonRecord } from '../records.js';
import { tokenFields } from '../usage-counts.js';
import { dimensionsOf, keyOfCall, personOfKey, providerAndModel } from './litellm-names.js';

/** The source of the cost: the price catalog of this service, or LiteLLM's `response_cost`. */
export const COST_SOURCES = ['catalogue', 'litellm'] as const;

/** See {@link COST_SOURCES}. */
export type CostSource = (typeof COST_SOURCES)[number];

/** The result of reading a log entry. */
export type ReadEntry =
  | { readonly event: unknown; readonly callKey?: string | undefined }
  | { readonly refusal: EventRefusal }
  /** The entry reports no usage: the call failed, or LiteLLM answered from its own cache. */
  | 'ignored';

const NOTE_MAX = 200;
const MS = 1_000;
/** Number of decimals with which dollars are stored. */
const COST_DECIMALS = 12;

/** Parameters with which LiteLLM chooses a provider's region. */
const REGION_PARAMETERS = ['aws_region_name', 'vertex_location', 'region_name'] as const;

/** The fields of usage events, with the names of the log entry's fields from which they were read. */
const ENTRY_FIELDS: ReadonlyMap<string, string> = new Map([
  ['provider', 'custom_llm_provider'],
  ['occurred_at', 'startTime'],
  ['input_tokens', 'prompt_tokens'],
  ['output_tokens', 'completion_tokens'],
  ['cost_usd', 'response_cost'],
  ['user_id', 'metadata.user_api_key_user_id'],
  ['user_email', 'metadata.user_api_key_user_email'],
]);

/** Converts a StandardLoggingPayload to a usage event in the format of `POST /v1/usage/events`. Never throws. */
export function readLogEntry(entry: unknown, cost: CostSource): ReadEntry {
  if (!isRecord(entry)) return { event: entry };
  const { status, cache_hit: cacheHit, metadata, id } = entry;
  if ((status !== undefined && status !== null && status !== 'success') || cacheHit === true) return 'ignored';
  const person = personOfKey(metadata, entry['end_user']);
  if (!person) return { refusal: { ...nobody(), id: typeof id === 'string' && id.length <= 255 ? id : null } };
  return {
    event: {
      id,
      ...person,
      ...providerAndModel(entry['custom_llm_provider'] ?? undefined, entry['model']),
      occurred_at: timeOf(entry['startTime'] ?? entry['endTime']),
      ...countsOf(entry),
      ...termsOf(entry),
      ...dimensionsOf(metadata, entry['request_tags']),
      ...(cost === 'litellm' ? costOf(entry['response_cost']) : {}),
      metadata: { source: 'litellm', ...notesOf(entry) },
    },
    callKey: keyOfCall(entry['call_id']),
  };
}

/** The field of a log entry that corresponds to a field of a usage event. */
export function entryFieldOf(field: string): string {
  return ENTRY_FIELDS.get(field) ?? field;
}

function nobody(): Omit<EventRefusal, 'id'> {
  return {
    field: 'metadata',
    message: 'names no person: user_api_key_user_email, user_api_key_user_id or user_api_key_end_user_id must be one',
  };
}

/** LiteLLM sends times in seconds since 1970. */
function timeOf(value: unknown): unknown {
  if (typeof value !== 'number') return value;
  const time = new Date(Math.round(value * MS));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

function countsOf(entry: JsonRecord): object {
  const usage = memberOf(entry['metadata'], 'usage_object');
  const [input, output] = [memberOf(usage, 'prompt_tokens_details'), memberOf(usage, 'completion_tokens_details')];
  return tokenFields({
    input: entry['prompt_tokens'],
    output: entry['completion_tokens'],
    cacheRead: memberOf(input, 'cached_tokens') ?? memberOf(usage, 'cache_read_input_tokens'),
    cacheWrite: memberOf(input, 'cache_creation_tokens') ?? memberOf(usage, 'cache_creation_input_tokens'),
    reasoning: memberOf(output, 'reasoning_tokens'),
  });
}

/** The tier in the answer, or the requested tier if the answer contains none. */
function termsOf(entry: JsonRecord): object {
  const asked = entry['model_parameters'];
  const named = [
    memberOf(memberOf(entry['metadata'], 'usage_object'), 'service_tier'),
    memberOf(entry['response'], 'service_tier'),
  ];
  const tier = serviceTierNamed([...named, memberOf(asked, 'service_tier')].find(name => typeof name === 'string'));
  const region = REGION_PARAMETERS.map(name => memberOf(asked, name)).find(value => regionDefect(value) === undefined);
  return {
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(region === undefined ? {} : { region }),
  };
}

function costOf(value: unknown): object {
  if (value === undefined || value === null) return {};
  return { cost_usd: typeof value === 'number' ? value.toFixed(COST_DECIMALS) : value };
}

function notesOf(entry: JsonRecord): object {
  const { metadata } = entry;
  const notes = {
    call_id: entry['call_id'],
    key: memberOf(metadata, 'user_api_key_alias'),
    team: memberOf(metadata, 'user_api_key_team_alias'),
  };
  return Object.fromEntries(
    Object.entries(notes).flatMap(([name, text]) =>
      typeof text === 'string' && isStorableText(text) ? [[name, shortened(text, NOTE_MAX)]] : [],
    ),
  );
}
