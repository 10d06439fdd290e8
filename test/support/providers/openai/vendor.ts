import { asRecord, type JsonRecord } from '../json.js';
import type { Script } from '../script.js';
import { ProviderError, type Asked, type ModelAnswer, type Vendor, type VendorContext } from '../vendor.js';
import { chatAnswer } from './chat.js';
import { completionAnswer } from './completions.js';
import { embeddingAnswer } from './embeddings.js';
import * as errors from './errors.js';
import { newId } from '../ids.js';
import { checkParameters, isOpenAiPath, type OpenAiPath } from './parameters.js';
import { responseAnswer } from './responses.js';

type Answer = (body: JsonRecord, model: string, script: Script) => ModelAnswer;

/** The required fields of each endpoint in addition to the model, and its handler. */
const ENDPOINTS: Record<OpenAiPath, { required?: string; answer: Answer }> = {
  '/v1/chat/completions': { required: 'messages', answer: chatAnswer },
  '/v1/responses': { answer: responseAnswer },
  '/v1/completions': { required: 'prompt', answer: completionAnswer },
  '/v1/embeddings': { required: 'input', answer: embeddingAnswer },
};

/** The full model version of each alias, as answers report it. */
const VERSIONS: Record<string, string> = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
  'gpt-4.1': 'gpt-4.1-2025-04-14',
  'gpt-4.1-mini': 'gpt-4.1-mini-2025-04-14',
  'o4-mini': 'o4-mini-2025-04-16',
  'gpt-5': 'gpt-5-2025-08-07',
  'gpt-5-mini': 'gpt-5-mini-2025-08-07',
};
const OTHERS = [
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'text-embedding-ada-002',
  ...Object.values(VERSIONS),
];
const NAMES = new Set([...Object.keys(VERSIONS), ...OTHERS]);

/** OpenAI, based on its API reference and its SDK's types. */
export const OPENAI: Vendor = {
  defaultKey: 'sk-emulator-openai-0123456789',
  requestIdHeader: 'x-request-id',
  headers: {
    'openai-organization': 'emulator-org',
    'openai-processing-ms': '7',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '30000000',
    'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
    'x-content-type-options': 'nosniff',
    server: 'cloudflare',
    'set-cookie': '__cf_bm=emulator; path=/; domain=.api.openai.com; HttpOnly; Secure; SameSite=None',
  },
  newRequestId: () => newId('req_'),
  keyOf: ({ authorization }) => /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1],
  errorBody: error => errors.errorObject(error.message, error.details),
  scriptedError: errors.scriptedError,
  check: ({ method, path, headers, text }, context) => {
    const key = OPENAI.keyOf(headers);
    if (key === undefined) throw errors.noKey();
    if (!context.isKnownKey(key)) throw errors.wrongKey(key);
    if (path === '/v1/models' || path.startsWith('/v1/models/')) return models(method, path, context);
    if (!isOpenAiPath(path)) throw errors.unknownUrl(method, path);
    if (method !== 'POST') throw errors.methodNotSupported(method, path);
    return asked(path, parsed(text), context);
  },
};

function asked(path: OpenAiPath, body: JsonRecord, context: VendorContext): Asked {
  const { model, stream } = body;
  if (typeof model !== 'string' || model === '') throw new ProviderError(400, 'you must provide a model parameter');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw errors.invalidType('stream', 'a boolean');
  }
  const options = asRecord(body['stream_options']);
  checkParameters(path, body, options);
  const { required, answer } = ENDPOINTS[path];
  if (required !== undefined && body[required] === undefined) throw errors.missing(required);
  if (required === 'messages' && !Array.isArray(body['messages'])) throw errors.invalidType('messages', 'an array');
  if (options !== undefined && stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw new ProviderError(400, message, { param: 'stream_options' });
  }
  if (!NAMES.has(model) && !context.isKnownModel(model)) throw errors.unknownModel(model);
  return {
    kind: 'model',
    model,
    stream: stream === true && path !== '/v1/embeddings',
    body,
    answer: script => answer(body, VERSIONS[model] ?? model, script),
  };
}

function parsed(text: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const body = asRecord(value);
  if (body !== undefined) return body;
  const message = 'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.';
  throw new ProviderError(400, message);
}

function models(method: string, path: string, context: VendorContext): Asked {
  if (method !== 'GET') throw errors.methodNotSupported(method, path);
  const describe = (id: string): JsonRecord => ({ id, object: 'model', created: 1_715_367_049, owned_by: 'system' });
  const wanted = path.slice('/v1/models/'.length);
  if (wanted === '') {
    const data = [...NAMES, ...context.models].map(describe);
    return { kind: 'fact', json: JSON.stringify({ object: 'list', data }) };
  }
  const id = decodeURIComponent(wanted);
  if (!NAMES.has(id) && !context.isKnownModel(id)) throw errors.unknownModel(id);
  return { kind: 'fact', json: JSON.stringify(describe(id)) };
}
