import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { SCOPES } from 'nest-llm-governance';
import { RENEWAL_EXAMPLE } from '../../libs/users/devices/http/device.examples.js';
import { enroll, newRequest, newToken, newUser } from '../e2e/devices/devices.support.js';
import { putConnector, putTicket } from '../support/itsm/ledger.js';
import { ManualClock } from '../support/manual-clock.js';
import { putAnomaly } from '../support/put-anomaly.js';
import { startTestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED, registerWebhook } from '../support/webhooks.js';
import { readPage } from './markdown.js';
import {
  readOpenApiDocument,
  routesOf,
  type Media,
  type OpenApiDocument,
  type Route,
} from '../../scripts/client/openapi.js';

const VERB =
  /^(call|create|export|register|list|get|update|put|delete|revoke|query|search|report|decide|offboard|reinstate|rotate|retry|recover|release|extend|judge|stream|test|approve|deny|restore|simulate|enroll|renew|import|cancel|erase|run)([A-Z]\w*)?$/;

describe('the OpenAPI document', () => {
  let document: OpenApiDocument;
  let routes: Route[];

  beforeAll(async () => {
    document = await readOpenApiDocument();
    routes = routesOf(document);
  });

  const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
  const isJson = (type: string): boolean => /[/+]json$/.test(type);

  /** Every body of a route: where it occurs, its content type, its media object. */
  function bodiesOf(route: Route): [string, string, Media][] {
    const parts = Object.entries({ request: route.operation.requestBody, ...route.operation.responses });
    return parts.flatMap(([part, body]) =>
      Object.entries(body?.content ?? {}).map(([type, media]): [string, string, Media] => [
        `${nameOf(route)} ${part}`,
        type,
        media,
      ]),
    );
  }

  it('gives every operation a name that begins with a verb', () => {
    expect(routes.length).toBeGreaterThan(20);
    const ids = routes.map(({ operation }) => operation.operationId ?? '');
    expect(ids.filter(id => !VERB.test(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('describes every operation in a sentence and gives it a heading', () => {
    const silent = routes.filter(({ operation }) => !operation.summary || operation.tags?.length !== 1);
    expect(silent.map(nameOf)).toEqual([]);
  });

  it('describes how old reports may be, on the routes that a replica answers by docs/scale.md', () => {
    const dated = routes.filter(({ operation }) => operation.responses['200']?.headers?.['X-Governance-Data-As-Of']);
    const [, list = ''] = /Usage reports are then read there: ([^.]*) as JSON/.exec(readPage('docs/scale.md')) ?? [];
    const listed = [...list.matchAll(/(\/v1\/[a-z/]+)/g)].map(([path]) => `GET ${path}`);
    expect(listed.length).toBeGreaterThan(3);
    expect(dated.map(nameOf).toSorted()).toEqual(listed.toSorted());
  });

  it('names the scopes of every operation that needs a credential', () => {
    const open = routes.filter(({ operation }) => operation['x-required-scopes'] === undefined);
    const openToAll = [
      'POST /v1/devices/enroll',
      'POST /v1/devices/{id}/renew',
      'GET /v1/devices/authorities/{id}/crl',
      'POST /v1/integrations/itsm/webhook/{org_id}',
      'GET /v1/integrations/{platform}/commands',
      'GET /v1/integrations/{platform}/interactions',
      'POST /v1/integrations/{platform}/commands',
      'POST /v1/integrations/{platform}/interactions',
    ];
    expect(open.map(nameOf).toSorted()).toEqual(['GET /health/live', 'GET /health/ready', ...openToAll].toSorted());
    const named = new Set<unknown>(routes.flatMap(({ operation }) => operation['x-required-scopes'] ?? []));
    // Every named scope exists, and at least one operation requires each existing scope.
    expect(named).toEqual(new Set(SCOPES));
  });

  it('describes every parameter', () => {
    const silent = routes.flatMap(route =>
      (route.operation.parameters ?? [])
        .filter(({ description }) => !description?.trim())
        .map(({ name }) => `${nameOf(route)}: ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it('describes every response', () => {
    const silent = routes.flatMap(route =>
      Object.entries(route.operation.responses)
        .filter(([, { description }]) => !description?.trim())
        .map(([status]) => `${nameOf(route)}: ${status}`),
    );
    expect(silent).toEqual([]);
  });

  it('documents a successful response of every operation, with a body unless it is a 204', () => {
    const wordless = routes.filter(({ operation }) => {
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
      return !success || (success[0] === '204') !== (success[1].content === undefined);
    });
    expect(wordless.map(nameOf)).toEqual([]);
  });

  it('shows an example of every body, errors included', () => {
    const bare = routes.flatMap(bodiesOf).filter(([, , media]) => media.example === undefined);
    expect(bare.map(([place, type]) => `${place} ${type}`)).toEqual([]);
  });

  it('gives each error the example of its own status', () => {
    const codes: Record<string, string> = {
      400: 'bad_request',
      401: 'unauthorized',
      403: 'forbidden',
      404: 'not_found',
      409: 'conflict',
      413: 'payload_too_large',
      415: 'unsupported_media_type',
      429: 'rate_limited',
      503: 'unavailable',
    };
    for (const route of routes.filter(({ path }) => path.startsWith('/v1/'))) {
      const errors = Object.entries(route.operation.responses).filter(([status]) => !status.startsWith('2'));
      expect(errors.length).toBeGreaterThan(2);
      for (const [status, { content }] of errors) {
        expect({ route: nameOf(route), status, example: content?.['application/json']?.example }).toMatchObject({
          example: { error: codes[status], message: expect.stringMatching(/.{10}/), request_id: expect.any(String) },
        });
      }
    }
  });

  it('shows only examples that match its own schemas', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const wrong = routes.flatMap(bodiesOf).flatMap(([place, type, { schema, example }]) => {
      if (!isJson(type) || !schema) return [];
      const pointing = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      const validate = ajv.compile(JSON.parse(pointing) as object);
      return validate(example) ? [] : [`${place}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(example)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('shows only requests that the app accepts', async () => {
    const time = new ManualClock();
    time.set(new Date('2026-11-20T13:00:00Z'));
    const app = await startTestApp({ time, ...LOOPBACK_ALLOWED });
    try {
      const policy = await app.call('POST', '/v1/policies', { name: 'To be changed', action: 'alert' });
      const bob = await app.call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' });
      const webhook = await registerWebhook(app.call, { url: 'https://127.0.0.1:9/' });
      await app.call('POST', '/v1/decisions', { user_id: bob.body.id, provider: 'openai', model: 'gpt-4o' });
      const incident = (await app.call('GET', '/v1/incidents')).body.items[0];
      const desk = await app.call('POST', '/v1/itsm/connectors', {
        ...{ kind: 'servicenow', name: 'To be changed' },
        settings: { instance_url: 'https://acme.service-now.example' },
        secrets: { username: 'somebody', password: 'a password' },
      });
      // Fields of a budget or limit that cannot be changed have the values of the example, so that the example can be
      // sent.
      const sales = { name: 'To be changed', scope: 'department', department: 'Sales', period: 'monthly' };
      const budget = await app.call('POST', '/v1/budgets', { ...sales, amount_usd: 1, enforcement: 'notify' });
      const each = { ...sales, scope: 'organization', department: null, split_by: 'user' };
      const split = await app.call('POST', '/v1/budgets', { ...each, amount_usd: 1, enforcement: 'notify' });
      const about = { scope: { project: 'copilot', model: 'gpt-5*' }, split_by: 'user' };
      const limit = await app.call('POST', '/v1/limits', { name: 'Each', ...about, requests_per_minute: 5 });
      await app.call('POST', '/v1/policies', { name: 'Ask first', action: 'require_approval', model: 'ask-*' });
      const askFor = async (model: string): Promise<string> =>
        (await app.call('POST', '/v1/decisions', { user_id: bob.body.id, provider: 'p', model })).body.approval_id;
      const granted = await askFor('ask-3');
      await app.call('POST', `/v1/approvals/${granted}/approve`);
      const ids: Record<string, string> = {
        approve: await askFor('ask-1'),
        deny: await askFor('ask-2'),
        revoke: granted,
        policies: policy.body.id,
        users: bob.body.id,
        webhooks: webhook.id,
        budgets: budget.body.id,
        overrides: split.body.id,
        limits: limit.body.id,
        incidents: incident.id,
        itsm: desk.body.id,
        anomalies: await putAnomaly(app, app.orgId, bob.body.id),
        Users: bob.body.id,
        Groups: (await app.call('POST', '/scim/v2/Groups', GROUP)).body.id,
      };
      const user_id = await newUser(app.call);
      const key = await newRequest();
      ids['renew'] = (await enroll(app, user_id, { csr: key.csr })).body.device.id;
      ids['devices'] = (await enroll(app, user_id)).body.device.id;
      ids['erase'] = await newUser(app.call);
      const token = await newToken(app.call, user_id);
      const chat = { platform: 'slack', workspace: 'T0OTHER', signing_secret: 'x'.repeat(32) };
      ids['chat'] = (await app.call('POST', '/v1/chat/workspaces', chat)).body.id;
      ids['tokens'] = (await app.call('POST', '/v1/tokens', { name: 'To be rotated', role: 'agent' })).body.id;
      const connectorId = await putConnector(app, app.orgId, { active: false });
      await putTicket(app, app.orgId, { connectorId, externalTicketId: 'SEC-17' });
      // Values that an example cannot contain, such as ids of this run.
      const filledIn: Record<string, object> = {
        updateUser: { email: 'b@example.com' },
        putScimUser: { userName: 'b@example.com', emails: [] },
        putScimGroup: { displayName: 'Sales' },
        createIncidentTicket: { connector_id: desk.body.id },
        createDeviceEnrollment: { user_id },
        createChatLink: { user_id },
        updateBudgetOverride: { part: bob.body.id },
        // The allowed network is this machine, because this test sends the example of a report from it.
        putInboundSettings: { allowed_networks: ['127.0.0.1'] },
        enrollDevice: { token },
        renewDevice: { proof: key.prove(RENEWAL_EXAMPLE) },
      };
      const send = async (route: Route, type: string, example: unknown): Promise<unknown> => {
        const [, , kind = '', , verb = ''] = route.path.replace('/scim/v2/', '/v1/').split('/');
        const ofMine = route.path.replace('{org_id}', app.orgId).replace('{name}', 'openai');
        const path = ofMine.replace(
          '{id}',
          ids[kind === 'approvals' || ['renew', 'overrides', 'erase'].includes(verb) ? verb : kind] ?? 'none',
        );
        const body = typeof example === 'string' ? example : JSON.stringify(example);
        const answer = await app.call(route.method, path, body, { 'content-type': type });
        const isRefused = answer.status >= 300 || answer.body?.rejected?.length > 0;
        return isRefused ? `${nameOf(route)} ${type}: ${answer.status} ${answer.text}` : undefined;
      };
      // The examples refer to one user. The example of `createUser` creates this user, so it is sent first.
      const [creating, others] = partition(routes, ({ operation }) => operation.operationId === 'createUser');
      const answers: unknown[] = [];
      for (const route of [...creating, ...others]) {
        for (const [type, { example }] of Object.entries(route.operation.requestBody?.content ?? {})) {
          // Signed with the current time, which an example cannot contain.
          if (['runChatCommand', 'reportChatPress'].includes(route.operation.operationId ?? '')) continue;
          // Skipped, because the app would forward the example to a provider.
          if (route.operation.operationId === 'callProvider') continue;
          // SCIM examples are sent in one media type only, because a second create would be a conflict. Both types have
          // the same example.
          if (route.path.startsWith('/scim/') && type === 'application/json') continue;
          Object.assign(example as object, filledIn[route.operation.operationId ?? '']);
          answers.push(await send(route, type, example));
        }
      }
      expect(answers.length).toBeGreaterThan(10);
      expect(answers.filter(answer => answer !== undefined)).toEqual([]);
    } finally {
      await app.close();
    }
  });

  it('describes every field by a description or an example', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, field]) => !field.description && field.example === undefined && !field.items && !field.$ref)
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
  });
});

const GROUP = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'To be changed' };

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter(item => !isFirst(item))];
}
