import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DecisionService } from '#policy';
import { OrgDatabase, sqlOf } from '#database';
import { UsageIngestion } from '#usage';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createUser, report, usageEvent } from './usage.support.js';

const MODEL = { provider: 'openai', model: 'gpt-4o' };
const PURPOSE = { project: 'copilot', tags: { team: 'search' } };

interface Key {
  id: string;
  token: string;
  call: Call;
  budget: { id: string } | null;
}

let first: TestApp;
let second: TestApp;

beforeAll(async () => {
  first = await startTestApp();
  second = await startTestApp({ testDatabase: first.database, orgId: first.orgId, time: first.clock });
});

afterAll(async () => {
  await second?.close();
  await first?.close();
});

async function open() {
  const { call, token, orgId } = await first.addOrganization();
  const ada = { email: 'ada@example.com', name: 'Ada', department: 'Sales' };
  const user: string = (await call('POST', '/v1/users', ada)).body.id;
  const ask = { ...MODEL, ...PURPOSE, user_id: user };
  const key = async (fields: object): Promise<Key> => {
    const { status, body, text } = await call('POST', '/v1/tokens', {
      ...{ name: 'key', role: 'agent', scopes: ['decisions:write', 'usage:write'] },
      ...fields,
    });
    if (status !== 201) throw new Error(text);
    return { ...body, call: first.as(body.token) };
  };
  const groups = async (by: string): Promise<unknown[][]> => {
    const { body } = await call('GET', `/v1/usage/series?metric=requests&group_by=${by}`);
    return body.groups.map(({ key: name, total }: { key: string | string[]; total: number }) => [name, total].flat());
  };
  return { call, token, orgId, user, ask, key, groups };
}

const of = (decision_id: string, user_id: string, fields: object = {}) =>
  usageEvent({ ...MODEL, user_id, decision_id, cost_usd: '0.25', ...fields });

describe('usage that is reported right after its decision', () => {
  it.each([
    ['the replica that decided', () => first],
    ['another replica', () => second],
  ])('counts for the project, tags and department of the decision on %s', async (_, replica) => {
    const { call, token, user, ask, groups } = await open();
    const { id } = (await call('POST', '/v1/decisions', ask)).body;
    const receipt = await report(replica().as(token), of(id, user));
    expect(receipt).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await groups('project,tag:team')).toEqual([['copilot', 'search', 1]]);
    expect(await groups('department')).toEqual([['Sales', 1]]);
  });

  it('counts for the project of the decision if both belong to one transaction of the host', async () => {
    const { orgId, user, ask, groups } = await open();
    const { app } = first;
    await app.get(OrgDatabase, { strict: false }).transaction(orgId, async em => {
      const tx = sqlOf(em);
      const { id } = await app.get(DecisionService, { strict: false }).decide(orgId, ask, { tx });
      await app.get(UsageIngestion, { strict: false }).record(orgId, [of(id, user)], { tx });
    });
    expect(await groups('project')).toEqual([['copilot', 1]]);
  });

  it('counts for its own fields if its decision is unknown or belongs to another organization', async () => {
    const { call, user, groups } = await open();
    const other = await open();
    const { id } = (await other.call('POST', '/v1/decisions', other.ask)).body;
    await report(call, of(id, user), of('0199c2a8-7777-4d10-8c52-1f0a7e9d4b33', user, { project: 'chat' }));
    expect(await groups('project')).toEqual([
      [null, 1],
      ['chat', 1],
    ]);
  });
});

describe('usage of a decision that is not recorded', () => {
  it('counts for the project and the token of the decision', async () => {
    const app = await startTestApp({ decisions: { sampleAllowed: 0.000_001 } });
    try {
      const user = await createUser(app.call, 'ada');
      const { id } = (await app.call('POST', '/v1/decisions', { ...MODEL, ...PURPOSE, user_id: user })).body;
      await report((await app.addToken('agent')).call, of(id, user));
      const { body } = await app.call('GET', '/v1/usage/series?metric=requests&group_by=project,token');
      expect(body.groups).toMatchObject([{ key: ['copilot', expect.any(String)], total: 1 }]);
      const tokens = (await app.call('GET', '/v1/tokens')).body.items;
      const admin = tokens.find(({ role }: { role: string }) => role === 'admin');
      expect(body.groups[0].key[1]).toBe(admin.id);
    } finally {
      await app.close();
    }
  });
});

describe('the token of usage', () => {
  it('is the token that requested the decision, in reports, lists and budgets, whoever reports the usage', async () => {
    const { call, user, ask, key, groups } = await open();
    const asked = await key({ budget: { amount_usd: 10, period: 'monthly', enforcement: 'notify' } });
    const { id } = (await asked.call('POST', '/v1/decisions', ask)).body;
    const collector = await key({});
    await report(collector.call, of(id, user), usageEvent({ ...MODEL, user_id: user, cost_usd: '1' }));
    expect(new Set((await groups('token')).map(String))).toEqual(new Set([`${asked.id},1`, `${collector.id},1`]));
    const items = (await call('GET', '/v1/tokens')).body.items as { id: string; spent_usd: number }[];
    const spent = Object.fromEntries(items.map(({ id: token, spent_usd }) => [token, spent_usd]));
    expect(spent).toMatchObject({ [asked.id]: 0.25, [collector.id]: 1 });
    expect((await call('GET', `/v1/budgets/${asked.budget?.id}`)).body.spent_usd).toBe(0.25);
  });
});

describe('usage that a restricted token reports', () => {
  it('counts for the project and tags of the token, whatever the event says', async () => {
    const { user, key, groups } = await open();
    const bound = await key(PURPOSE);
    const named = { project: 'other', tags: { team: 'ads', env: 'prod' } };
    const events = [named, {}].map(fields => usageEvent({ ...MODEL, user_id: user, ...fields }));
    expect(await report(bound.call, ...events)).toMatchObject({ accepted: 2 });
    expect(await report(bound.call, ...events)).toMatchObject({ duplicates: 2 });
    expect(await groups('project,tag:team')).toEqual([['copilot', 'search', 2]]);
    expect(await groups('tag:env')).toEqual([
      [null, 1],
      ['prod', 1],
    ]);
  });

  it('counts for the decision of another token, whatever the event says', async () => {
    const { call, user, ask, key, groups } = await open();
    const bound = await key({ project: 'collector' });
    const { id } = (await call('POST', '/v1/decisions', ask)).body;
    await report(bound.call, of(id, user, { project: 'other', tags: { team: 'ads' } }));
    expect(await groups('project,tag:team')).toEqual([['copilot', 'search', 1]]);
  });

  it('is refused with the field if it has too many tags in addition to those of the token', async () => {
    const { user, key } = await open();
    const bound = await key(PURPOSE);
    const tags = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`key${n}`, 'x']));
    const message = 'has 8 pairs besides the tags of your access token; send at most 7';
    const receipt = await report(bound.call, usageEvent({ ...MODEL, user_id: user, tags }));
    expect(receipt).toMatchObject({ accepted: 0, rejected: [{ field: 'tags', message }] });
    const decision = await bound.call('POST', '/v1/decisions', { ...MODEL, user_id: user, tags });
    expect(decision).toMatchObject({ status: 400, body: { details: [{ field: 'tags', message }] } });
  });

  it('counts for the project of the token if it arrives by OTLP', async () => {
    const { user, call, key, groups } = await open();
    const { email } = (await call('GET', `/v1/users/${user}`)).body;
    const bound = await key(PURPOSE);
    const attribute = (name: string, value: string | number) =>
      typeof value === 'number'
        ? { key: name, value: { intValue: String(value) } }
        : { key: name, value: { stringValue: value } };
    const at = String(first.clock.now().getTime() * 1e6);
    const span = {
      ...{ traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174', name: 'chat gpt-4o' },
      ...{ startTimeUnixNano: at, endTimeUnixNano: at },
      attributes: [
        attribute('gen_ai.system', 'openai'),
        attribute('gen_ai.request.model', 'gpt-4o'),
        attribute('gen_ai.usage.input_tokens', 10),
        attribute('gen_ai.usage.output_tokens', 5),
        attribute('user.email', email),
        attribute('governance.project', 'other'),
      ],
    };
    const traces = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    expect((await bound.call('POST', '/v1/integrations/otlp/v1/traces', traces)).body).toEqual({});
    expect(await groups('project,tag:team')).toEqual([['copilot', 'search', 1]]);
  });
});
