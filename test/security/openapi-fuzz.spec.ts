import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { createOpenApiDocument } from '#governance';
import { IS_FULL } from '../faults/processes/chance.js';
import { arbitraryOf, broken, edgesOf, exampleAt, type Schema } from '../support/schema-arbitrary.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';

interface Operation {
  operationId?: string;
  'x-required-scopes'?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

const RUNS = Number(process.env['FUZZ_RUNS'] ?? (IS_FULL ? 40 : 8));
const SEED = process.env['FUZZ_SEED'] === undefined ? Date.now() : Number(process.env['FUZZ_SEED']);
const EDGES = edgesOf({ format: 'date-time' }).length;

describe(`every route of the OpenAPI document (seed ${SEED})`, () => {
  let app: TestApp;
  let routes: Route[];
  let components: Record<string, Schema>;
  let ajv: Ajv;
  let ids: string[];
  const validators = new Map<Schema, ValidateFunction>();

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument(app.app)));
    // The project creates this document itself. The expectations below report its errors.
    const { paths, components: parts } = document as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, Schema> };
    };
    components = parts.schemas;
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: parts });
    const created = await Promise.all([
      app.call('POST', '/v1/policies', { name: 'Seed', action: 'alert' }),
      app.call('POST', '/v1/users', { email: 'seed@example.com', name: 'Seed' }),
      app.call('POST', '/v1/tokens', { name: 'Seed', role: 'auditor' }),
      app.call('POST', '/v1/webhooks', { url: 'https://127.0.0.1:9/' }),
    ]);
    ids = created.map(({ body }) => String(body.id));
  });

  afterAll(() => app?.close());

  it('has operations with ids, and documents successes and refusals', () => {
    expect(routes.length).toBeGreaterThan(15);
    const operationIds = routes.map(route => route.operation.operationId);
    expect(new Set(operationIds).size).toBe(routes.length);
    for (const { method, path, operation } of routes) {
      const statuses = Object.keys(operation.responses);
      expect({ method, path, success: statuses.some(status => status.startsWith('2')) }).toMatchObject({
        success: true,
      });
      if (operation['x-required-scopes'])
        expect({ method, path, statuses }).toMatchObject({ statuses: expect.arrayContaining(['401', '403']) });
    }
  });

  function check(route: Route, sent: unknown, answer: Answer): void {
    const told = {
      route: `${route.method} ${route.path}`,
      sent,
      status: answer.status,
      body: answer.text.slice(0, 500),
    };
    expect({ ...told, fine: answer.status < 500 }).toEqual({ ...told, fine: true });
    const documented = route.operation.responses[String(answer.status)];
    expect({ ...told, documented: documented !== undefined }).toEqual({ ...told, documented: true });
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const schema = documented?.content?.[type]?.schema;
    if (!schema || !/[/+]json/.test(type)) return;
    const validate = validators.get(schema) ?? ajv.compile(pointIntoDocument(schema));
    validators.set(schema, validate);
    const valid = validate(answer.body);
    expect({ ...told, valid, errors: validate.errors ?? null }).toEqual({ ...told, valid: true, errors: null });
  }

  function pathOf(route: Route, pick: number, junk: string): string {
    // Does not use `.` and `..`, which `fetch` would resolve to the path of another route.
    const segment = ['', '.', '..'].includes(junk) ? 'x' : junk;
    const id = pick % 3 === 0 ? encodeURIComponent(segment) : (ids[pick % ids.length] ?? segment);
    return route.path.replaceAll(/\{[^}]+\}/g, id);
  }

  function queryOf(route: Route): fc.Arbitrary<string> {
    const parameters = (route.operation.parameters ?? []).filter(parameter => parameter.in === 'query');
    const parts = parameters.map(({ name, schema }) =>
      fc
        .option(
          fc.oneof(
            arbitraryOf(schema ?? {}, components),
            fc.string({ unit: 'binary' }),
            fc.constantFrom('-1', '101', '1e3', ''),
          ),
        )
        .map(value => (value === null ? '' : `${name}=${encodeURIComponent(textOf(value).toWellFormed())}`)),
    );
    return fc.tuple(...parts).map(pairs => pairs.filter(pair => pair !== '').join('&'));
  }

  async function drive(body: (route: Route) => fc.Arbitrary<string | undefined>): Promise<void> {
    for (const route of routes) {
      await fc.assert(
        fc.asyncProperty(body(route), queryOf(route), fc.nat(), fc.string(), async (text, query, pick, junk) => {
          const url = pathOf(route, pick, junk) + (query === '' ? '' : `?${query}`);
          const headers: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
          check(route, { url, text }, await app.call(route.method, url, text, headers));
        }),
        { numRuns: RUNS, seed: SEED },
      );
    }
  }

  function schemaOfBody(route: Route): Schema | undefined {
    return route.operation.requestBody?.content['application/json']?.schema;
  }

  it('answers valid input as the document says', async () => {
    await drive(route => {
      const schema = schemaOfBody(route);
      return schema ? arbitraryOf(schema, components).map(value => JSON.stringify(value)) : fc.constant(undefined);
    });
  });

  it('answers invalid input with a documented 4xx', async () => {
    await drive(route => {
      const schema = schemaOfBody(route);
      return schema ? broken(arbitraryOf(schema, components)) : fc.constant(undefined);
    });
  });

  it('answers every extreme date and time with a documented status', async () => {
    let sent = 0;
    const send = async (route: Route, path: string, text?: string) => {
      const headers: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
      check(route, { path, text }, await app.call(route.method, path, text, headers));
      sent++;
    };
    for (const route of routes) {
      for (const { name, in: place, schema = {} } of route.operation.parameters ?? []) {
        if (place !== 'query') continue;
        for (const edge of edgesOf(schema)) {
          await send(route, `${pathOf(route, 1, 'x')}?${name}=${encodeURIComponent(edge)}`);
        }
      }
      const body = schemaOfBody(route);
      const bodies = Array.from({ length: body ? EDGES : 0 }, (_, n) =>
        JSON.stringify(exampleAt(body!, components, n)),
      );
      // If the bodies are all equal, they contain no time, so they are not sent.
      if (new Set(bodies).size > 1) for (const text of new Set(bodies)) await send(route, pathOf(route, 1, 'x'), text);
    }
    expect(sent).toBeGreaterThan(2 * EDGES);
  });

  it('answers arbitrary JSON with a documented status', async () => {
    await drive(route => (schemaOfBody(route) ? fc.json({ maxDepth: 4 }) : fc.constant(undefined)));
  });
});

/** Changes references within the document, so that Ajv can resolve them. */
function pointIntoDocument(schema: Schema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
