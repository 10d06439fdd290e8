import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { deskStage, makeDue, startDesk, type DeskStage } from './tickets.support.js';

let app: TestApp & { desk: ScriptedAdapter };

beforeAll(async () => {
  app = await startDesk();
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue = 'itsm'`);
  app.desk.reset();
});

afterAll(() => app?.close());

const problemOf = async ({ call, connector }: DeskStage) =>
  (await call('GET', `/v1/itsm/connectors/${connector.id}`)).body.problem;

/** Makes the platform refuse tickets because of their content, one after the other. */
async function refuse({ violate, settled }: DeskStage, from: number, to: number): Promise<void> {
  app.desk.script = () => ({ kind: 'rejected', code: 'field', message: 'The summary holds a bad word.' });
  for (let at = from; at <= to; at++) {
    await violate(undefined, { model: `bad-${at}` });
    await settled('rejected', at);
  }
  app.desk.script = () => undefined;
}

describe('a ticket that is refused because of its content', () => {
  it('does not delay other tickets', async () => {
    const stage = await deskStage(app);
    await refuse(stage, 1, 2);
    expect(await problemOf(stage)).toBeNull();
    await stage.violate(undefined, { model: 'good-1' });
    await stage.settled('created');
    // A success came between these refusals and the earlier ones, so they do not add up.
    await refuse(stage, 3, 4);
    await stage.violate(undefined, { model: 'good-2' });
    await stage.settled('created', 2);
    expect(await problemOf(stage)).toBeNull();
  });

  it('delays the others for five minutes if it is the third in a row', async () => {
    const stage = await deskStage(app);
    await refuse(stage, 1, 3);
    expect(await problemOf(stage)).toMatchObject({ code: 'field', message: 'The summary holds a bad word.' });
    await stage.violate(undefined, { model: 'good' });
    await until(async () => (await stage.tickets('&sync_state=pending'))[0]?.next_attempt_at);
    await makeDue(app, stage.orgId);
    await new Promise(done => setTimeout(done, 200));
    expect(app.desk.creates).toBe(3);
    app.clock.advance(300_001);
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    expect(await problemOf(stage)).toBeNull();
  });

  it('causes only a few requests if each of many tickets is refused', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'rejected', code: 'field', message: 'Team is required.' });
    await Promise.all(Array.from({ length: 60 }, (_, at) => stage.violate(undefined, { model: `m-${at}` })));
    await until(async () =>
      (await stage.tickets()).every(
        ({ sync_state: state, next_attempt_at: next }) =>
          state === 'rejected' || (next !== null && Date.parse(next) > Date.now() + 500),
      ),
    );
    expect(app.desk.creates).toBeLessThanOrEqual(18);
  });
});
