import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOpenApiDocument } from '#governance';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { watchTurns } from '../support/turn-watch.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';

const KIB = 1024;
const ANSWER_MIN = 64 * KIB;
const BODY_BYTES = 300 * KIB;
/** Maximum CPU time for which one body may block the event loop, including the time to parse 1 MiB of JSON. */
const TURN_MAX_MS = 1_000;
const UUID = '00000000-0000-4000-8000-000000000000';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.floor(count) }, (_, at) => make(at));
const named = (count: number): object => Object.fromEntries(times(count, at => [`k${at}`, at]));

/**
 * Values that cause the longest lists of errors, with functions that create them in about the given number of bytes.
 */
const VALUES: [string, (bytes: number) => unknown][] = [
  ['a long text', bytes => 'k'.repeat(bytes)],
  ['a text of control characters', bytes => '\u0001'.repeat(bytes / 6)],
  ['a list of texts', bytes => times(bytes / 4, () => 'x')],
  ['a list of numbers', bytes => times(bytes / 2, () => 1)],
  ['a list of objects', bytes => times(bytes / 9, () => ({ xyz: 1 }))],
  ['an object of unknown fields', bytes => named(bytes / 14)],
  ['an object with a long key', bytes => ({ ['k'.repeat(bytes)]: 1 })],
];

/** Texts that a parser refuses, each with the content type that selects the parser. */
const USAGE: [string, string, string][] = [
  ['numbers', 'application/json', JSON.stringify({ events: Array.from({ length: 1_000 }, () => 0) })],
  ['empty objects', 'application/json', JSON.stringify({ events: Array.from({ length: 1_000 }, () => ({})) })],
  ['texts that are not JSON', 'application/x-ndjson', 'x\n'.repeat(1_000)],
  ['repeated keys', 'application/x-ndjson', '{"":1,"":1}\n'.repeat(1_000)],
  ['one unknown field each', 'application/x-ndjson', '{"id":"a","\u2028":1}\n'.repeat(1_000)],
  ['envelopes without a version', 'application/cloudevents-batch+json', `[${Array(1_000).fill('{"id":"a"}').join()}]`],
];

describe('an answer to invalid input', () => {
  let test: TestApp;
  let bodies: { method: string; path: string; fields: string[] }[];

  beforeAll(async () => {
    test = await startTestApp(LOOPBACK_ALLOWED);
    const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument(test.app)));
    // The project creates this document itself.
    const { paths, components } = document as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, Schema> };
    };
    const fieldsOf = (schema: Schema | undefined): string[] => {
      if (schema?.$ref) return fieldsOf(components.schemas[schema.$ref.replace('#/components/schemas/', '')]);
      return [...Object.keys(schema?.properties ?? {}), ...(schema?.allOf ?? []).flatMap(fieldsOf)];
    };
    bodies = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody)
        .map(([method, { requestBody }]) => {
          const [content] = Object.values(requestBody?.content ?? {});
          const place = path.replace('{org_id}', test.orgId).replaceAll(/\{[^}]+\}/g, UUID);
          return { method: method.toUpperCase(), path: place, fields: fieldsOf(content?.schema) };
        }),
    );
  });

  afterAll(() => test?.close());

  /** What is wrong with an answer; empty if the answer is within the limits. */
  async function faultsOf(method: string, path: string, text: string, type: string): Promise<object[]> {
    const { longest, result } = await watchTurns((): Promise<Answer> =>
      test.call(method, path, text, { 'content-type': type }),
    );
    const bytes = Buffer.byteLength(result.text);
    const allowed = Math.max(ANSWER_MIN, 2 * Buffer.byteLength(text));
    const fine = result.status < 500 && bytes <= allowed && longest < TURN_MAX_MS;
    return fine ? [] : [{ method, path, status: result.status, bytes, allowed, longest }];
  }

  it.each(VALUES)('is at most 64 KiB or twice its request if every field is %s', async (_what, make) => {
    const faults: object[] = [];
    for (const { method, path, fields } of bodies) {
      const type = path.startsWith('/scim') ? 'application/scim+json' : 'application/json';
      const every = Object.fromEntries(fields.map(field => [field, make(BODY_BYTES / fields.length)]));
      for (const body of [make(BODY_BYTES), every]) {
        faults.push(...(await faultsOf(method, path, JSON.stringify(body), type)));
      }
    }
    expect(bodies.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it.each(USAGE)('names each of 1,000 usage events of %s within the size limit', async (_what, type, text) => {
    expect(await faultsOf('POST', '/v1/usage/events', text, type)).toEqual([]);
    const { body } = await test.call('POST', '/v1/usage/events', text, { 'content-type': type });
    expect(body.rejected).toHaveLength(1_000);
  });

  it('names 50 errors and counts the others', async () => {
    const { status, body } = await test.call('POST', '/v1/users', named(1_000));
    expect(status).toBe(400);
    expect(body.details).toHaveLength(50);
    expect(body.details_omitted).toBe(1_002 - 50);
    expect(body.message).toMatch(/; and \d+ more$/);
  });

  it.each([
    ['fields of a user', '/v1/users', named(60_000)],
    ['attributes of a user', '/v1/users', { email: 'a@x.example', name: 'A', attributes: named(60_000) }],
    ['settings of a connector', '/v1/itsm/connectors', { kind: 'jira', name: 'J', settings: named(60_000) }],
    ['attributes of a decision', '/v1/decisions', { provider: 'p', model: 'm', attributes: named(60_000) }],
  ])('takes little CPU time if there are 60,000 %s', async (_what, path, given) => {
    const text = JSON.stringify(given);
    const send = () => test.call('POST', path, text, { 'content-type': 'application/json' });
    const { longest, result } = await watchTurns(send);
    expect(result.status).toBe(400);
    expect(result.body.message).toContain('more than 1000 keys');
    // The request takes about 20 ms on an idle machine. If the app built the whole DTO, it would take more than 200 ms.
    expect({ fast: longest < 150, longest }).toEqual({ fast: true, longest });
  });
});
