import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Answer, Call, TestApp } from '../support/test-app.js';

/** An organization in which one user violates one policy. */
export interface Stage {
  orgId: string;
  call: Call;
  token: string;
  policyId: string;
  userId: string;
  /** Requests a decision that violates the policy. */
  violate(as?: Call, fields?: object): Promise<Answer['body']>;
  /** The incidents, newest first. */
  incidents(query?: string): Promise<Answer['body'][]>;
}

/** A new organization with a policy for everybody and a user. */
export async function stageOn(app: TestApp, policy: object = {}): Promise<Stage> {
  const { orgId, call, token } = await app.addOrganization();
  const made = await call('POST', '/v1/policies', { name: 'Large models', action: 'block', ...policy });
  const email = `${randomUUID()}@example.com`;
  const user = await call('POST', '/v1/users', { email, name: 'Ada', department: 'Sales' });
  const policyId: string = made.body.id;
  const userId: string = user.body.id;
  return {
    orgId,
    call,
    token,
    policyId,
    userId,
    async violate(as = call, fields = {}) {
      const request = { user_id: userId, provider: 'openai', model: 'gpt-4o', ...fields };
      const { status, body } = await as('POST', '/v1/decisions', request);
      expect({ status, reason: body.reason }).toEqual({ status: 200, reason: 'policy' });
      return body;
    },
    async incidents(query = '') {
      const { status, body } = await call('GET', `/v1/incidents?limit=100${query}`);
      expect(status).toBe(200);
      return body.items;
    },
  };
}

/** The data of the events of an organization, in the order in which they were stored. */
export async function eventsOf(app: TestApp, orgId: string): Promise<Answer['body'][]> {
  const rows = await app.database.asOwner<{ body: Buffer }>(
    'select body from governance.events where org_id = $1 order by id',
    [orgId],
  );
  return rows.map(({ body }) => JSON.parse(body.toString('utf8')));
}

/** One server-sent event. */
export interface SentEvent {
  id: number;
  event: string;
  data: Answer['body'];
}

/** An open stream of changes. */
export interface OpenStream {
  status: number;
  headers: Headers;
  /** All changes that have arrived so far. */
  readonly events: readonly SentEvent[];
  /** The raw text of the stream, including comments. */
  readonly text: string;
  /** Waits until this many changes have arrived, or fails. `ready` does not count. */
  changes(count: number, withinMs?: number): Promise<SentEvent[]>;
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens a stream as a client does. */
export async function openStream(
  url: string,
  token: string,
  { query = '', lastEventId }: { query?: string; lastEventId?: number | string } = {},
): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/incidents/stream${query}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal: abort.signal,
  });
  let text = '';
  const events = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter(part => /^event: /m.test(part))
      .map(part => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        return { id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) };
      });
  const read = async () => {
    const decoder = new TextDecoder();
    // Aborted at the end of a test.
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  };
  const ended = read().catch(() => undefined);
  return {
    status: response.status,
    headers: response.headers,
    ended,
    get events() {
      return events();
    },
    get text() {
      return text;
    },
    async changes(count, withinMs = 5_000) {
      const end = performance.now() + withinMs;
      for (;;) {
        const found = events().filter(({ event }) => event === 'incident');
        if (found.length >= count) return found;
        if (performance.now() > end) throw new Error(`${found.length} of ${count} changes came within ${withinMs} ms`);
        await new Promise(done => setTimeout(done, 5));
      }
    },
    close: () => abort.abort(),
  };
}
