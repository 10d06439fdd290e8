import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { deskStage, makeDue, startDesk } from './tickets.support.js';

const REFUSED = 3;
const DAY_MS = 24 * 3_600_000;

let app: TestApp & { desk: ScriptedAdapter };

beforeAll(async () => {
  app = await startDesk();
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue = 'itsm'`);
  app.desk.reset();
});

afterAll(() => app?.close());

/**
 * Creates an organization with tickets that its platform has refused one after the other. The next ticket is created
 * only after the pause of the connector.
 */
async function refused(code: 'auth' | 'field' = 'auth') {
  const stage = await deskStage(app);
  app.desk.script = () => ({ kind: 'rejected', code, message: 'No.' });
  for (let at = 1; at <= REFUSED; at++) {
    await stage.violate(undefined, { model: `m-${at}` });
    await stage.settled('rejected', at);
    app.clock.advance(300_001);
  }
  app.desk.script = () => undefined;
  const path = `/v1/itsm/connectors/${stage.connector.id}`;
  const states = async () => (await stage.tickets()).map(({ sync_state: state }) => state as string);
  return { ...stage, path, states };
}

describe('tickets that a platform has refused', () => {
  it.each(['auth', 'field'] as const)('are tried again after a successful connector test: %s', async code => {
    const { call, path, settled } = await refused(code);
    expect((await call('POST', `${path}/test`)).body.passed).toBe(true);
    // One ticket more than the refused ones, because the connector test creates one, too.
    await settled('created', REFUSED + 1);
    expect(app.desk.creates).toBe(2 * REFUSED + 1);
  });

  it('are tried again when the connector is changed or activated, but not when it is renamed', async () => {
    const { call, path, settled, states } = await refused();
    await call('PATCH', path, { name: 'Renamed' });
    await call('PATCH', path, { active: false });
    expect(await states()).toEqual(Array(REFUSED).fill('rejected'));
    app.desk.script = () => ({ kind: 'rejected', code: 'auth', message: 'Still not.' });
    await call('PATCH', path, { active: true });
    await until(async () => (await states()).includes('rejected') && app.desk.creates > REFUSED);
    await settled('rejected');
    app.desk.script = () => undefined;
    await call('PATCH', path, { secrets: { password: 'mended' } });
    await settled('created', REFUSED);
  });

  it('are retried if the refusal arrives after the connector was corrected', async () => {
    const stage = await deskStage(app);
    const answer = Promise.withResolvers<void>();
    app.desk.script = async () => {
      await answer.promise;
      return { kind: 'rejected', code: 'auth', message: 'No.' };
    };
    await stage.violate();
    await until(async () => app.desk.creates > 0);
    app.desk.script = () => undefined;
    await stage.call('PATCH', `/v1/itsm/connectors/${stage.connector.id}`, { secrets: { password: 'mended' } });
    answer.resolve();
    await stage.settled('created');
    expect(app.desk.creates).toBe(2);
  });

  it("wait for a person's correction, whatever else succeeds", async () => {
    const { violate, settled, states } = await refused();
    await violate(undefined, { model: 'accepted' });
    await settled('created');
    expect(await states()).toEqual(['created', ...Array(REFUSED).fill('rejected')]);
  });

  it('stay unchanged if the refusal was a day ago, and so do those of failed connector tests', async () => {
    const { call, path, orgId, states, settled } = await refused();
    app.desk.script = () => ({ kind: 'rejected', code: 'auth', message: 'No.' });
    expect((await call('POST', `${path}/test`)).body.ticket).toMatchObject({ sync_state: 'rejected' });
    app.desk.script = () => undefined;
    app.clock.advance(DAY_MS - 300_001 * (REFUSED - 1) - 1);
    await call('POST', `${path}/test`);
    await makeDue(app, orgId);
    await settled('created', REFUSED);
    // States of the tickets, newest first. The fourth ticket is more than a day old, so it is not retried.
    expect(await states()).toEqual(['created', 'rejected', 'created', 'created', 'rejected']);
    app.clock.advance(-DAY_MS);
  });
});
