import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor, TokenService } from '#access';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { ErasureStage, succeed } from './user-erasure.support.js';

let app: TestApp;
let replica: TestApp;
let stage: ErasureStage;
let call: Call;

beforeAll(async () => {
  app = await startTestApp();
  replica = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
  const { orgId, call: admin } = await app.addOrganization();
  call = admin;
  stage = new ErasureStage(app, orgId, call);
});

afterAll(async () => {
  await replica?.close();
  await app?.close();
});

describe('an erasure of a user whom policies, budgets, limits and tokens name', () => {
  it('leaves no address in records about others, nor in anything that a replica writes afterwards', async () => {
    const ada = await stage.addUser(`Ada ${randomUUID()}`);
    const eve = await stage.addUser(`Eve ${randomUUID()}`);
    const policy = {
      name: `Watch ${ada.email}`,
      action: 'alert',
      conditions: { email: { in: [ada.email, eve.email] } },
    };
    await succeed(call('POST', '/v1/policies', policy));
    const budget = { name: `Money of ${ada.email}`, scope: 'organization', amount_usd: 50, period: 'monthly' };
    await succeed(call('POST', '/v1/budgets', { ...budget, enforcement: 'block' }));
    const limit = { name: `Pace of ${ada.email}`, scope: 'organization', requests_per_minute: 2 };
    await succeed(call('POST', '/v1/limits', limit));
    const bot = { name: `Bot of ${ada.email}`, role: 'agent', tags: { owner: ada.email } } as const;
    const { token } = await app.app.get(TokenService).issueFor(operatorActor(stage.orgId), bot);
    const replicas = [app.as(token), replica.as(token)];

    /** Requests three decisions. The limit refuses the last one. */
    const decide = async (email: string) => {
      for (const as of [...replicas, ...replicas]) {
        const request = { user_email: email, provider: 'openai', model: 'gpt-4o', max_output_tokens: 10 };
        const { body } = await succeed(as('POST', '/v1/decisions', { ...request, idempotency_key: randomUUID() }));
        if (!body.allowed) continue;
        const usage = { id: randomUUID(), user_email: email, provider: 'openai', model: 'gpt-4o', input_tokens: 1 };
        const event = { ...usage, output_tokens: 1, occurred_at: app.clock.now().toISOString(), decision_id: body.id };
        await succeed(as('POST', '/v1/usage/events', { events: [event] }));
      }
    };
    await decide(eve.email);
    app.clock.advance(120_000);
    await decide(ada.email);
    const places = await stage.placesOf([ada.email]);
    const written = [
      'decisions.policies',
      'decisions.spend',
      'decisions.request',
      'incidents.details',
      'usage_events.tags',
    ];
    expect(places).toEqual(expect.arrayContaining(written));

    await succeed(stage.erase(ada.id));

    expect(await stage.placesOf([ada.email])).toEqual([]);
    app.clock.advance(120_000);
    await decide(eve.email);
    expect(await stage.placesOf([ada.email])).toEqual([]);
    expect(await stage.placesOf([eve.email])).toContain('decisions.user_email');
  });
});
