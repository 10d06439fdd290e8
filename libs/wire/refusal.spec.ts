import { describe, expect, it } from '@jest/globals';
import { refusalAnswer } from './refusal.js';

const refusal = { status: 402, code: 'budget_exceeded', message: 'A budget has no room.', decisionId: 'd-1' };

describe('a refusal', () => {
  it('is an error object of OpenAI that its SDK does not retry', () => {
    const { status, headers, body } = refusalAnswer('openai', refusal);
    expect({ status, headers }).toEqual({
      status: 402,
      headers: { 'content-type': 'application/json', 'x-should-retry': 'false', 'x-governance-decision-id': 'd-1' },
    });
    expect(JSON.parse(body)).toEqual({
      error: { message: 'A budget has no room.', type: 'insufficient_quota', param: null, code: 'budget_exceeded' },
    });
  });

  it('is an error object of Anthropic that its SDK does not retry', () => {
    const { headers, body } = refusalAnswer('anthropic', { ...refusal, status: 429, retryAfterSeconds: 1.2 });
    expect(headers).toMatchObject({ 'x-should-retry': 'false', 'retry-after': '2' });
    expect(JSON.parse(body)).toEqual({
      ...{ type: 'error', request_id: 'd-1' },
      error: { type: 'rate_limit_error', message: 'A budget has no room.', code: 'budget_exceeded' },
    });
  });

  it.each([
    ['openai', 403, 'permission_error'],
    ['openai', 503, 'server_error'],
    ['anthropic', 402, 'billing_error'],
    ['anthropic', 403, 'permission_error'],
    ['anthropic', 404, 'not_found_error'],
    ['anthropic', 503, 'api_error'],
  ] as const)('of %s with status %s has the type %s', (kind, status, type) => {
    expect(JSON.parse(refusalAnswer(kind, { ...refusal, status }).body)).toMatchObject({ error: { type } });
  });

  it('can be retried if it says so', () => {
    const { headers } = refusalAnswer('openai', { ...refusal, status: 503, isTransient: true });
    expect(headers['x-should-retry']).toBe('true');
  });
});
