import { ProviderError, type ErrorDetails } from '../vendor.js';
import type { ScriptedError } from '../script.js';

const DOCS = 'https://platform.openai.com';

/** The error object of OpenAI. All four fields are always present. */
export function errorObject(message: string, { type, param, code }: ErrorDetails): string {
  return JSON.stringify({
    error: { message, type: type ?? 'invalid_request_error', param: param ?? null, code: code ?? null },
  });
}

interface Sent {
  message: string;
  details: ErrorDetails;
  headers?: Record<string, string>;
}

const RATE_LIMITS = {
  'x-ratelimit-limit-requests': '500',
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': '1s',
};

/** OpenAI's error for each status. The stated retry delay is one millisecond, so that tests do not wait. */
const BY_STATUS: Record<number, Sent> = {
  400: { message: 'Invalid value.', details: { code: 'invalid_value' } },
  401: {
    message: `Incorrect API key provided: sk-****. You can find your API key at ${DOCS}/account/api-keys.`,
    details: { code: 'invalid_api_key' },
  },
  403: {
    message: 'Country, region, or territory not supported',
    details: { type: 'request_forbidden', code: 'unsupported_country_region_territory' },
  },
  404: { message: 'The model does not exist or you do not have access to it.', details: { code: 'model_not_found' } },
  429: {
    message: 'Rate limit reached for requests per min (RPM): Limit 500, Used 500, Requested 1.',
    details: { type: 'requests', code: 'rate_limit_exceeded' },
    headers: { ...RATE_LIMITS, 'retry-after': '1', 'retry-after-ms': '1' },
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    details: { type: 'server_error' },
    headers: { 'retry-after-ms': '1' },
  },
  503: {
    message: 'The engine is currently overloaded, please try again later',
    details: { type: 'service_unavailable_error' },
    headers: { 'retry-after-ms': '1' },
  },
};
const OTHER: Sent = { message: 'The request failed.', details: { type: 'server_error' } };

/** The error of a script, with OpenAI's defaults for its status. */
export function scriptedError(script: ScriptedError): { error: ProviderError; headers: Record<string, string> } {
  const sent = BY_STATUS[script.status] ?? OTHER;
  const details = { ...sent.details };
  if (script.type !== undefined) details.type = script.type;
  if (script.code !== undefined) details.code = script.code;
  return {
    error: new ProviderError(script.status, script.message ?? sent.message, details),
    headers: { ...sent.headers, ...script.headers },
  };
}

/**
 * The error for an unknown path. Below `/v1`, it says that the URL is invalid. Elsewhere, it says that the path is
 * unknown.
 */
export function unknownUrl(method: string, path: string): ProviderError {
  if (path.startsWith('/v1/')) return new ProviderError(404, `Invalid URL (${method} ${path})`);
  const message = `Unknown request URL: ${method} ${path}. Please check the URL for typos, or see the docs at ${DOCS}/docs/api-reference/.`;
  return new ProviderError(404, message, { code: 'unknown_url' });
}

export function methodNotSupported(method: string, path: string): ProviderError {
  return new ProviderError(405, `Not allowed to ${method} on ${path}.`, { code: 'method_not_supported' });
}

export function noKey(): ProviderError {
  const message = `You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).`;
  return new ProviderError(401, message);
}

export function wrongKey(key: string): ProviderError {
  const shown = `${key.slice(0, 3)}****${key.slice(-4)}`;
  const message = `Incorrect API key provided: ${shown}. You can find your API key at ${DOCS}/account/api-keys.`;
  return new ProviderError(401, message, { code: 'invalid_api_key' });
}

export function unknownModel(model: string): ProviderError {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return new ProviderError(404, message, { code: 'model_not_found' });
}

export function missing(param: string): ProviderError {
  return new ProviderError(400, `Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
}

export function unknownParameter(param: string): ProviderError {
  return new ProviderError(400, `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
}

export function invalidType(param: string, expected: string): ProviderError {
  const message = `Invalid type for '${param}': expected ${expected}.`;
  return new ProviderError(400, message, { param, code: 'invalid_type' });
}
