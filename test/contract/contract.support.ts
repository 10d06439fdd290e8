import { expect } from '@jest/globals';
import { createOpenApiDocument } from '#governance';
import type { Answer, Call, TestApp } from '../support/test-app.js';

/** Any UUID of RFC 9562, in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An ISO 8601 time with its offset. */
export const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** An id that does not exist. */
export const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** Ids without a policy: one that does not exist, and one that is not a UUID. */
export const MISSING_IDS = [UNKNOWN, 'not-a-uuid', 'null', '%00'];

/** Creates a resource and returns it. */
export async function create(call: Call, path: string, body: object): Promise<Answer['body']> {
  const answer = await call('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} failed: ${answer.text}`);
  return answer.body;
}

/** Creates a policy. Without fields, the policy blocks everybody. */
export function createPolicy(call: Call, fields: object = {}): Promise<Answer['body']> {
  return create(call, '/v1/policies', { name: 'Research only', action: 'block', ...fields });
}

/** Creates a user with an email address made from the name. */
export function createUser(call: Call, name: string, fields: object = {}): Promise<Answer['body']> {
  return create(call, '/v1/users', { email: `${name.toLowerCase()}@example.com`, name, ...fields });
}

/** The decision of the service when a user asks for a model. */
export async function decide(call: Call, userId: string, model = 'gpt-4o'): Promise<Answer['body']> {
  const { status, body } = await call('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model });
  expect(status).toBe(200);
  return body;
}

/** Expects an error with the common error body. */
export function expectError(answer: Answer, status: number, error: string, field?: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: expect.objectContaining({ error, message: expect.stringMatching(/\w/) }),
  });
  if (field !== undefined) {
    expect(answer.body.details).toContainEqual({ field, message: expect.stringMatching(/\w/) });
  }
}

/** Adds query parameters to a path that may already have some. */
function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Rows without the time at which a token was last used. The app stores that time a little after each request. */
export function withoutLastUse(rows: Answer['body'][]): Answer['body'][] {
  return rows.map(row => ('last_used_at' in row ? { ...row, last_used_at: null } : row));
}

/** Reads every page of a list, from the first to the last, and checks the shape of each page. */
export async function walk(call: Call, path: string, limit: number): Promise<Answer['body'][][]> {
  const pages: Answer['body'][][] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await call('GET', withQuery(path, `limit=${limit}${next}`));
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    expect(body.has_more).toBe(body.next_cursor !== null);
    pages.push(body.items);
    cursor = body.next_cursor;
  } while (cursor !== null && pages.length < 500);
  return pages;
}

/** Expects a list of more than 25 items to have the default and the bounds of `limit`. */
export async function expectLimits(call: Call, path: string, total: number): Promise<void> {
  expect(total).toBeGreaterThan(25);
  const sizeOf = async (query: string) => (await call('GET', withQuery(path, query))).body.items.length;
  expect({ path, size: await sizeOf('') }).toEqual({ path, size: 25 });
  expect({ path, size: await sizeOf('limit=1') }).toEqual({ path, size: 1 });
  expect({ path, size: await sizeOf('limit=26') }).toEqual({ path, size: 26 });
  expect({ path, size: await sizeOf('limit=100') }).toEqual({ path, size: Math.min(total, 100) });
  for (const limit of ['0', '101', '-1', '2.5', 'ten', '']) {
    expectError(await call('GET', withQuery(path, `limit=${limit}`)), 400, 'bad_request', 'limit');
  }
}

/** Expects the pages of a list to follow its order, without gaps and repetitions. */
export async function expectWalk(call: Call, path: string, total: number): Promise<void> {
  expect(total).toBeGreaterThan(3);
  const [whole = []] = await walk(call, path, 100);
  expect(whole).toHaveLength(total);
  expect(new Set(whole.map(item => JSON.stringify(item))).size).toBe(total);
  for (const limit of [1, 3]) {
    const pages = await walk(call, path, limit);
    expect(pages).toHaveLength(Math.ceil(total / limit));
    expect(pages.flat()).toEqual(whole);
  }
}

/** One operation of the OpenAPI document. */
export interface Operation {
  method: string;
  /** The path as in the document, with placeholders such as `{id}`. */
  template: string;
  /** The path with an unknown id in place of each parameter. */
  path: string;
  /** Whether the operation takes no access token. */
  isOpen: boolean;
  /** Query parameters by name. */
  query: Map<string, { minimum?: number; maximum?: number; default?: unknown; enum?: string[] }>;
}

/** Every operation of the OpenAPI document. */
export function operationsOf(app: TestApp): Operation[] {
  return Object.entries(createOpenApiDocument(app.app).paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      path: template.replaceAll(/\{\w+\}/g, UNKNOWN),
      isOpen: (operation as DocumentedOperation)['x-required-scopes'] === undefined,
      // The project creates this document itself. Its parameters are inline, without `$ref`.
      query: new Map((operation as DocumentedOperation).parameters?.map(({ name, schema = {} }) => [name, schema])),
    })),
  );
}

interface DocumentedOperation {
  'x-required-scopes'?: string[];
  parameters?: { name: string; schema?: { minimum?: number; maximum?: number; default?: unknown; enum?: string[] } }[];
}
