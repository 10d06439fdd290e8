import { asInteger, asRecord, type JsonRecord } from '../json.js';
import { newId } from '../ids.js';
import { ProviderError, type Asked, type Vendor, type VendorContext } from '../vendor.js';
import { errorBody, invalid, scriptedError } from './errors.js';
import { messageAnswer, promptOf } from './messages.js';

const MESSAGE_FIELDS = new Set(
  `max_tokens messages model cache_control container context_management diagnostics inference_geo mcp_servers metadata
   output_config service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p
   user_profile_id workspace_id`.split(/\s+/),
);

/**
 * SDKs of version 1 and later use the newest version of the API. Earlier versions and the AI SDK use the version before
 * it.
 */
const NEWEST = '2026-10-21';
const VERSIONS_OF_API = new Set(['2023-06-01', NEWEST]);
/** The newest version has no sampling parameters. */
const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** The full model version of each alias, as answers report it. */
const VERSIONS: Record<string, string> = {
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
};
const NAMES = new Set([...Object.keys(VERSIONS), ...Object.values(VERSIONS), 'claude-sonnet-5-5', 'claude-opus-5-5']);

/** Anthropic, based on its documentation and its SDK's types. */
export const ANTHROPIC: Vendor = {
  defaultKey: 'sk-ant-emulator-0123456789',
  requestIdHeader: 'request-id',
  headers: {
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    'anthropic-ratelimit-requests-limit': '4000',
    'anthropic-ratelimit-requests-remaining': '3999',
    server: 'cloudflare',
    'cf-cache-status': 'DYNAMIC',
  },
  newRequestId: () => newId('req_01'),
  // SDKs of version 1 and later send the key as a bearer token. Earlier versions and other clients use a separate
  // header.
  keyOf: headers => {
    const key = headers['x-api-key'];
    if (typeof key === 'string') return key;
    return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  },
  errorBody,
  scriptedError,
  check: ({ method, path, headers, text }, context) => {
    const key = ANTHROPIC.keyOf(headers);
    if (key === undefined) throw new ProviderError(401, 'x-api-key header is required');
    if (!context.isKnownKey(key)) {
      throw new ProviderError(401, headers['x-api-key'] === undefined ? 'Invalid bearer token' : 'invalid x-api-key');
    }
    if (headers['anthropic-version'] === undefined) throw invalid('anthropic-version: header is required');
    const version = String(headers['anthropic-version']);
    if (!VERSIONS_OF_API.has(version)) throw invalid(`anthropic-version: "${version}" is not a valid version`);
    if (path === '/v1/models' || path.startsWith('/v1/models/')) return models(method, path, context);
    if (path !== '/v1/messages' && path !== '/v1/messages/count_tokens') throw new ProviderError(404, 'Not found');
    if (method !== 'POST') throw new ProviderError(405, 'Method Not Allowed');
    const body = parsed(text);
    if (version === NEWEST) {
      const removed = SAMPLING.find(name => name in body);
      if (removed !== undefined) throw invalid(`${removed}: Extra inputs are not permitted`);
    }
    return path === '/v1/messages' ? message(body, context) : count(body, context);
  },
};

function message(body: JsonRecord, context: VendorContext): Asked {
  for (const name of Object.keys(body)) {
    if (!MESSAGE_FIELDS.has(name)) throw invalid(`${name}: Extra inputs are not permitted`);
  }
  const model = modelAndMessages(body, context);
  const maxTokens = asInteger(body['max_tokens']);
  if (body['max_tokens'] === undefined) throw invalid('max_tokens: Field required');
  if (maxTokens === undefined) throw invalid('max_tokens: Input should be a valid integer');
  if (maxTokens < 1) throw invalid('max_tokens: must be greater than or equal to 1');
  const budget = asInteger(asRecord(body['thinking'])?.['budget_tokens']);
  if (budget !== undefined && budget >= maxTokens) {
    throw invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  return {
    kind: 'model',
    model,
    stream: body['stream'] === true,
    body,
    answer: script => messageAnswer(body, VERSIONS[model] ?? model, script),
  };
}

function count(body: JsonRecord, context: VendorContext): Asked {
  modelAndMessages(body, context);
  return { kind: 'fact', json: JSON.stringify({ input_tokens: promptOf(body) }) };
}

function modelAndMessages(body: JsonRecord, context: VendorContext): string {
  const { model, messages } = body;
  if (model === undefined) throw invalid('model: Field required');
  if (typeof model !== 'string') throw invalid('model: Input should be a valid string');
  if (messages === undefined) throw invalid('messages: Field required');
  if (!Array.isArray(messages)) throw invalid('messages: Input should be a valid list');
  if (messages.length === 0) throw invalid('messages: at least one message is required');
  if (!NAMES.has(model) && !context.isKnownModel(model)) throw new ProviderError(404, `model: ${model}`);
  return model;
}

function parsed(text: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('The request body is not valid JSON');
  }
  const body = asRecord(value);
  if (body === undefined) throw invalid('Input should be a valid dictionary or object to extract fields from');
  return body;
}

function models(method: string, path: string, context: VendorContext): Asked {
  if (method !== 'GET') throw new ProviderError(405, 'Method Not Allowed');
  const describe = (id: string): JsonRecord => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2025-09-29T00:00:00Z',
  });
  const wanted = decodeURIComponent(path.slice('/v1/models/'.length));
  if (wanted !== '') {
    if (!NAMES.has(wanted) && !context.isKnownModel(wanted)) throw new ProviderError(404, `model: ${wanted}`);
    return { kind: 'fact', json: JSON.stringify(describe(wanted)) };
  }
  const data = [...NAMES, ...context.models].map(describe);
  const ends = { first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
  return { kind: 'fact', json: JSON.stringify({ data, has_more: false, ...ends }) };
}
