import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor, OrganizationSuspension } from '#access';
import { LIVE_TOPICS } from '#core';
import { fillEveryTable } from '../../support/fill-every-table.js';
import { createToken } from '../../support/seed.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';
import { stageOn } from '../incidents.support.js';
import { follow, isChangeOf, type TopicStream } from './stream.support.js';

const ALL = LIVE_TOPICS.join(',');

describe('the stream of topics', () => {
  let first: TestApp;
  let second: TestApp;
  const opened: TopicStream[] = [];

  beforeAll(async () => {
    first = await startTestApp(LOOPBACK_ALLOWED);
    // This replica gets no notifications, so it finds changes only by polling.
    second = await startTestApp({
      testDatabase: first.database,
      orgId: first.orgId,
      time: first.clock,
      database: { url: '', changes: { listen: false } },
    });
  });

  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close();
  });

  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  async function open(app: TestApp, token: string, topics: string, lastEventId?: string): Promise<TopicStream> {
    const stream = await follow(app.url, token, topics, { lastEventId });
    opened.push(stream);
    return stream;
  }

  it('names every topic that changes, on every replica', async () => {
    const { orgId, call, token } = await first.addOrganization();
    const streams = [await open(first, token, ALL), await open(second, token, ALL)];
    for (const stream of streams) {
      expect((await stream.next(({ event }) => event === 'ready')).data).toEqual({ topics: [...LIVE_TOPICS] });
    }
    await fillEveryTable(first, orgId, call);
    for (const stream of streams) {
      for (const topic of LIVE_TOPICS) await stream.next(isChangeOf(topic));
    }
  });

  it('contains nothing of another organization, and no topic that did not change', async () => {
    const stage = await stageOn(first);
    const other = await first.addOrganization();
    const foreign = await open(first, other.token, ALL);
    const own = await open(first, stage.token, 'policies,incidents,webhooks');
    await stage.violate();
    const { data } = await own.next(isChangeOf('incidents'));
    expect(data.ids).toEqual((await stage.incidents()).map(({ id }) => id));
    // A change of the own organization arrives after all earlier changes. Once it is here, an earlier change of another
    // organization would have arrived, too.
    await other.call('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
    await foreign.next(isChangeOf('policies'));
    expect(new Set(foreign.events.slice(1).map(event => event.data.topic))).toEqual(new Set(['policies', 'audit']));
    expect(own.events.map(event => event.data.topic)).toEqual([undefined, 'incidents']);
  });

  it('resumes after the last id on another replica, and names the topics that changed meanwhile', async () => {
    const stage = await stageOn(first);
    const stream = await open(first, stage.token, 'incidents,policies,users');
    const { id } = await stream.next(({ event }) => event === 'ready');
    stream.close();
    await stage.violate();
    const resumed = await open(second, stage.token, 'incidents,policies,users', id);
    const change = await resumed.next(isChangeOf('incidents'));
    expect(change.data.ids).toEqual((await stage.incidents()).map(incident => incident.id));
    expect(resumed.events.map(({ event }) => event)).toEqual(['ready', 'change']);
    const again = await open(second, stage.token, 'incidents,policies,users', change.id);
    await stage.call('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
    await again.next(isChangeOf('policies'));
    expect(again.events.map(event => event.data.topic)).toEqual([undefined, 'policies']);
  });

  it.each([
    ['is invalid', 'x y', ['incidents', 'users']],
    ['names only unknown topics', 'nothing=1', ['incidents', 'users']],
    ['lacks a topic', 'incidents=0', ['users']],
    ['is newer than the database, as after a restore', 'incidents=999999,users=0', ['incidents']],
  ])('says which topics to read again if the last id %s', async (_why, lastEventId, topics) => {
    const { token } = await first.addOrganization();
    const stream = await open(first, token, 'incidents,users', lastEventId);
    expect((await stream.next(({ event }) => event === 'reset')).data).toEqual({ topics });
  });

  it('says to read incidents again if more than 100 changed', async () => {
    const stage = await stageOn(first);
    await stage.violate();
    const stream = await open(first, stage.token, 'incidents', 'incidents=0');
    expect((await stream.next(isChangeOf('incidents'))).data.ids).toHaveLength(1);
    await first.database.asOwner(
      `insert into governance.incidents select (jsonb_populate_record(null::governance.incidents,
         to_jsonb(one) || jsonb_build_object(
           'id', gen_random_uuid(), 'model', 'm' || n, 'change_version', one.change_version + n))).*
       from governance.incidents one, generate_series(1, 101) n where one.org_id = $1`,
      [stage.orgId],
    );
    await first.database.asOwner(
      `update governance.change_marks set version = version + 101 where org_id = $1 and topic = 'incidents'`,
      [stage.orgId],
    );
    expect((await stream.next(({ event }) => event === 'reset')).data).toEqual({ topics: ['incidents'] });
  });

  it('shows a member only changes of their user', async () => {
    const stage = await stageOn(first);
    const bob = (await stage.call('POST', '/v1/users', { email: `bob.${stage.orgId}@example.com`, name: 'Bob' })).body;
    const member = await createToken(first.app, stage.orgId, 'member', bob.id);
    const stream = await open(first, member, 'incidents,approvals,usage');
    await stream.next(({ event }) => event === 'ready');
    await stage.violate();
    await stage.violate(undefined, { user_id: bob.id });
    const { data } = await stream.next(isChangeOf('incidents'));
    const own = (await stage.incidents()).find(incident => incident.user_id === bob.id);
    expect(data.ids).toEqual([own?.id]);
    expect(stream.events.filter(({ event }) => event !== 'ready')).toHaveLength(1);
  });

  it('refuses unknown topics, and names those that the credential may not read', async () => {
    const { orgId, call } = await first.addOrganization();
    for (const query of ['', '?topics=', '?topics=incidents,weather', '?topics=incidents&topics=users']) {
      const answer = await call('GET', `/v1/stream${query}`);
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'topics' }] } });
    }
    const user = (await call('POST', '/v1/users', { email: `eve.${orgId}@example.com`, name: 'Eve' })).body.id;
    const member = first.as(await createToken(first.app, orgId, 'member', user));
    const refused = await member('GET', '/v1/stream?topics=incidents,tickets,audit');
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(refused.body.message).toContain('tickets (needs itsm:read), audit (needs audit:read)');
    expect(refused.body.message).not.toContain('incidents (');
  });

  it.each([
    ['its replica', () => first],
    ['a replica that learns of changes by polling', () => second],
  ])('ends on %s when the token is revoked', async (_where, replica) => {
    const { call } = await first.addOrganization();
    const { token, id } = (await call('POST', '/v1/tokens', { name: 'Screen', role: 'auditor' })).body;
    const stream = await open(replica(), token, ALL);
    await stream.next(({ event }) => event === 'ready');
    expect((await call('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    await stream.ended;
  });

  it('ends when the organization is suspended', async () => {
    const { orgId, token } = await first.addOrganization();
    const stream = await open(second, token, ALL);
    await stream.next(({ event }) => event === 'ready');
    await first.app.get(OrganizationSuspension, { strict: false }).suspend(operatorActor(orgId), 'Unpaid');
    await stream.ended;
  });

  it('can be opened five times by a reader', async () => {
    const { token, call } = await first.addOrganization();
    for (let at = 0; at < 5; at++) expect((await open(first, token, 'audit')).status).toBe(200);
    expect(await call('GET', '/v1/stream?topics=audit')).toMatchObject({
      status: 429,
      body: { error: 'rate_limited' },
    });
  });
});
