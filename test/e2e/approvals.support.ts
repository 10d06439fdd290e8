import { randomUUID } from 'node:crypto';
import { createToken } from '../support/seed.js';
import type { Answer, Call, TestApp } from '../support/test-app.js';

/** The model of all requests. */
export const MODEL = { provider: 'openai', model: 'gpt-4o' };
export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** An organization in which Ada needs an approval for a model. */
export interface Office {
  orgId: string;
  token: string;
  /** Calls the API as an admin without a user. */
  call: Call;
  ada: string;
  adaEmail: string;
  policyId: string;
  /** Sends Ada's request for the model. */
  ask(request?: object): Promise<Answer['body']>;
  /** Sends Ada's request, and returns the approval that the decision waits for. */
  pending(request?: object): Promise<string>;
  /** Sends Ada's request, and grants it. */
  granted(body?: object, request?: object): Promise<string>;
  /** Decides an approval as the admin. */
  act(id: string, verb: 'approve' | 'deny' | 'revoke', body?: object): Promise<Answer>;
  /** Creates another policy. Policies that are created later come later in the list. */
  addPolicy(fields: object): Promise<string>;
  addUser(name: string): Promise<{ id: string; email: string }>;
  /** A credential of a role that belongs to a user. */
  as(role: string, userId?: string): Promise<Call>;
}

/** Creates a separate organization. */
export async function openOffice(app: TestApp): Promise<Office> {
  const { orgId, token, call } = await app.addOrganization();
  const made = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await call('POST', path, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const addUser = async (name: string) => {
    const email = `${name}-${randomUUID()}@example.com`.toLowerCase();
    return { id: String((await made('/v1/users', { email, name, department: 'Sales' })).id), email };
  };
  const addPolicy = async (fields: object): Promise<string> => {
    app.clock.advance(1);
    return (await made('/v1/policies', { name: 'Ask first', action: 'require_approval', ...fields })).id;
  };
  const { id: ada, email: adaEmail } = await addUser('Ada');
  const policyId = await addPolicy({});
  const ask = async (request: object = {}) =>
    (await call('POST', '/v1/decisions', { user_id: ada, ...MODEL, ...request })).body;
  const pending = async (request?: object): Promise<string> => (await ask(request)).approval_id;
  const act: Office['act'] = (id, verb, body) => call('POST', `/v1/approvals/${id}/${verb}`, body);
  return {
    orgId,
    token,
    call,
    ada,
    adaEmail,
    policyId,
    ask,
    pending,
    async granted(body, request) {
      const id = await pending(request);
      const { status, text } = await act(id, 'approve', body);
      if (status !== 200) throw new Error(text);
      return id;
    },
    act,
    addPolicy,
    addUser,
    as: async (role, userId) => app.as(await createToken(app.app, orgId, role, userId)),
  };
}
