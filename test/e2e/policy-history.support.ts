import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Answer, Call, TestApp } from '../support/test-app.js';

/** An organization whose policies are changed, and its users. */
export interface PolicyOrganization {
  orgId: string;
  call: Call;
  /** Creates a policy. Each is a millisecond younger than the one before. */
  add(fields?: object): Promise<Answer['body']>;
  put(id: string, fields: object): Promise<Answer['body']>;
  remove(id: string): Promise<void>;
  restore(id: string, version: number): Promise<Answer>;
  /** The entries of a policy's history, newest first. */
  entries(id: string): Promise<Answer['body'][]>;
  addUser(fields?: object): Promise<Answer['body']>;
  ask(request: object): Promise<Answer['body']>;
  explain(decisionId: string): Promise<Answer['body']>;
}

/** Creates a separate organization. */
export async function openPolicyOrganization(app: TestApp): Promise<PolicyOrganization> {
  const { orgId, call } = await app.addOrganization();
  const ok = async (status: number, answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status: actual, text, body } = await answer;
    expect({ status: actual, text }).toEqual({ status, text });
    return body;
  };
  return {
    orgId,
    call,
    add(fields = {}) {
      app.clock.advance(1);
      return ok(201, call('POST', '/v1/policies', { name: 'Research only', action: 'block', ...fields }));
    },
    put: (id, fields) => ok(200, call('PUT', `/v1/policies/${id}`, fields)),
    remove: id => ok(204, call('DELETE', `/v1/policies/${id}`)),
    restore: (id, version) => call('POST', `/v1/policies/${id}/restore`, { version }),
    entries: async id => (await ok(200, call('GET', `/v1/policies/${id}/versions?limit=100`))).items,
    addUser: (fields = {}) =>
      ok(201, call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada Lovelace', ...fields })),
    ask: request => ok(200, call('POST', '/v1/decisions', { provider: 'openai', model: 'gpt-4o', ...request })),
    explain: id => ok(200, call('GET', `/v1/decisions/${id}/explanation`)),
  };
}
