import { ProviderError } from '../vendor.js';
import type { ScriptedError } from '../script.js';

/** Type and message of Anthropic's error for each status. */
const BY_STATUS: Record<number, { type: string; message: string; headers?: Record<string, string> }> = {
  400: { type: 'invalid_request_error', message: 'Invalid request' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  402: { type: 'billing_error', message: 'Your credit balance is too low to access the Anthropic API.' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use the specified resource.' },
  404: { type: 'not_found_error', message: 'Not found' },
  405: { type: 'invalid_request_error', message: 'Method Not Allowed' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: {
    type: 'rate_limit_error',
    message: "This request would exceed your organization's rate limit. Please try again later.",
    headers: {
      'retry-after': '1',
      'retry-after-ms': '1',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'x-should-retry': 'true',
    },
  },
  500: { type: 'api_error', message: 'Internal server error', headers: { 'retry-after-ms': '1' } },
  504: { type: 'timeout_error', message: 'Request timed out', headers: { 'retry-after-ms': '1' } },
  529: {
    type: 'overloaded_error',
    message: 'Overloaded',
    headers: { 'retry-after-ms': '1', 'x-should-retry': 'true' },
  },
};
const OTHER = { type: 'api_error', message: 'Internal server error', headers: {} };

/** The error object of Anthropic, with the id of the request beside it. */
export function errorBody(error: ProviderError, requestId: string): string {
  const type = error.details.type ?? (BY_STATUS[error.status] ?? OTHER).type;
  return JSON.stringify({ type: 'error', error: { type, message: error.message }, request_id: requestId });
}

/** The error of a script, with Anthropic's defaults for its status. */
export function scriptedError(script: ScriptedError): { error: ProviderError; headers: Record<string, string> } {
  const sent = BY_STATUS[script.status] ?? OTHER;
  return {
    error: new ProviderError(script.status, script.message ?? sent.message, { type: script.type ?? sent.type }),
    headers: { ...sent.headers, ...script.headers },
  };
}

/** An error of the vendor's validation, written as `field: message`. */
export function invalid(message: string): ProviderError {
  return new ProviderError(400, message);
}
