import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { TestApp } from '../../support/test-app.js';
import { stageOn } from '../incidents.support.js';
import { connect, deskStage, startDesk } from './tickets.support.js';

let app: TestApp & { desk: ScriptedAdapter };

beforeAll(async () => {
  app = await startDesk();
});

beforeEach(() => app.desk.reset());

afterAll(() => app?.close());

describe('a repeated violation', () => {
  it('creates no ticket for an incident that is older than the connector', async () => {
    const { call, violate, incidents } = await stageOn(app);
    await violate();
    await connect(call);
    await violate();
    await Promise.all(Array.from({ length: 8 }, () => violate()));
    expect(await incidents()).toMatchObject([{ occurrences: 10 }]);
    // A ticket would already exist here, because it is stored before the decision is answered.
    expect((await call('GET', '/v1/itsm/tickets')).body.items).toEqual([]);
    expect(app.desk.creates).toBe(0);
  });

  it('creates one ticket per incident if several arrive in one request', async () => {
    const { call, userId, incidents, settled, tickets } = await deskStage(app);
    const requests = Array.from({ length: 20 }, () => ({ user_id: userId, provider: 'openai', model: 'gpt-4o' }));
    const { status, body } = await call('POST', '/v1/decisions/batch', { requests });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(await incidents()).toMatchObject([{ occurrences: 20 }]);
    await settled('created');
    expect(await tickets()).toHaveLength(1);
  });

  it('opens another incident with one ticket after the first was resolved, and no second ticket for the first', async () => {
    const { call, violate, incidents, settled, tickets } = await deskStage(app);
    await violate();
    const [first] = await settled('created');
    const resolved = await call('PATCH', `/v1/incidents/${first.incident_id}`, { status: 'resolved' });
    expect(resolved).toMatchObject({ status: 200 });
    app.clock.advance(1_000);
    for (let at = 0; at < 3; at++) await violate();
    await settled('created', 2);
    const [again, before] = await incidents();
    expect([again.occurrences, before.occurrences]).toEqual([3, 1]);
    const opened = (await tickets()).map(({ incident_id: id }) => id as string);
    expect(opened).toEqual([again.id, before.id]);
  });
});
