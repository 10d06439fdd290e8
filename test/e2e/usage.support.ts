import { randomUUID } from 'node:crypto';
import type { Answer, Call } from '../support/test-app.js';

/** A usage event as a gateway sends it. */
export type EventBody = Record<string, unknown> & { id: string };

/** An event in the test clock's hour with a stated cost. Every field can be overridden. */
export function usageEvent(fields: Record<string, unknown>): EventBody {
  return {
    id: `evt-${randomUUID()}`,
    provider: 'openai',
    model: 'gpt-4o',
    occurred_at: '2026-11-20T11:30:00Z',
    input_tokens: 100,
    output_tokens: 20,
    ...fields,
  };
}

/** Reports events and returns the answer's body. */
export async function report(call: Call, ...events: EventBody[]): Promise<Answer['body']> {
  const answer = await call('POST', '/v1/usage/events', { events });
  if (answer.status !== 200) throw new Error(`reporting failed: ${answer.text}`);
  return answer.body;
}

/** Creates a user and returns the id. */
export async function createUser(call: Call, name: string): Promise<string> {
  const answer = await call('POST', '/v1/users', { email: `${name}@example.com`, name });
  if (answer.status !== 201) throw new Error(`creating a user failed: ${answer.text}`);
  return answer.body.id;
}

/** Every item of a usage query, page by page. */
export async function allUsage(call: Call, query: string, limit = 100): Promise<Answer['body'][]> {
  const items: Answer['body'][] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await call('GET', `/v1/usage?${query}&limit=${limit}${next}`);
    if (answer.status !== 200) throw new Error(`GET /v1/usage?${query} failed: ${answer.text}`);
    items.push(...answer.body.items);
    cursor = answer.body.next_cursor;
  } while (cursor !== null);
  return items;
}
