import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventOutbox } from '#outbox';
import { TokenExpiryWarnings } from '../../libs/webhooks/expiry/token-expiry-warnings.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';

const DAY_MS = 86_400_000;
const NO_WORKERS = { ...LOOPBACK_ALLOWED, outbox: { workers: false } };

describe('the expiry warnings of a token', () => {
  let app: TestApp;
  let other: TestApp;
  let start: number;
  let orgId: string;
  let call: Call;

  beforeAll(async () => {
    app = await startTestApp(NO_WORKERS);
    other = await startTestApp({ ...NO_WORKERS, testDatabase: app.database, orgId: app.orgId, time: app.clock });
    start = app.clock.now().getTime();
  });

  afterAll(async () => {
    await other?.close();
    await app?.close();
  });

  beforeEach(async () => {
    app.clock.set(new Date(start));
    ({ orgId, call } = await app.addOrganization());
  });

  async function make(days: number): Promise<string> {
    const { status, body, text } = await call('POST', '/v1/tokens', {
      ...{ name: 'gateway', role: 'agent', project: 'copilot' },
      expires_at: new Date(app.clock.now().getTime() + days * DAY_MS).toISOString(),
    });
    if (status !== 201) throw new Error(text);
    return body.id;
  }

  const run = (from = app) => from.app.get(TokenExpiryWarnings).send();

  /** Days of the warnings of a token, in the order in which they were sent. */
  async function warned(token: string): Promise<number[]> {
    const rows = await app.database.asOwner<{ body: Buffer }>(
      `select body from governance.events where org_id = $1 and type = 'token_expiring' order by id`,
      [orgId],
    );
    const events = rows.map(({ body }) => JSON.parse(body.toString('utf8')));
    return events.filter(({ data }) => data.token_id === token).map(({ data }) => data.days_left);
  }

  const at = (ms: number) => app.clock.set(new Date(start + ms));

  it('are sent 30, 7 and 1 days before, to the millisecond, and once each on two replicas', async () => {
    const token = await make(60);
    const due = [30, 7, 1].map(days => (60 - days) * DAY_MS);
    for (const [sent, moment] of due.entries()) {
      at(moment - 1);
      await Promise.all([run(), run(other)]);
      expect(await warned(token)).toHaveLength(sent);
      at(moment);
      await Promise.all([run(), run(other), run()]);
      await run(other);
      expect(await warned(token)).toEqual([30, 7, 1].slice(0, sent + 1));
    }
    at(60 * DAY_MS);
    await run();
    expect(await warned(token)).toEqual([30, 7, 1]);
    const [row] = await app.database.asOwner<{ body: Buffer }>(
      `select body from governance.events where org_id = $1 and type = 'token_expiring' order by id`,
      [orgId],
    );
    expect(JSON.parse(row!.body.toString('utf8')).data).toEqual({
      ...{ token_id: token, name: 'gateway', role: 'agent', user_id: null, project: 'copilot', days_left: 30 },
      ...{ expires_at: new Date(start + 60 * DAY_MS).toISOString(), last_used_at: null },
    });
  });

  it('begin with the next one if the token is valid for fewer days', async () => {
    const week = await make(7);
    const hour = await make(1 / 24);
    await run();
    expect([await warned(week), await warned(hour)]).toEqual([[], []]);
    at(6 * DAY_MS);
    await run();
    expect(await warned(week)).toEqual([1]);
  });

  it('are sent once, for the latest due day, if no replica ran for weeks', async () => {
    const token = await make(60);
    at(59.5 * DAY_MS);
    await run();
    expect(await warned(token)).toEqual([1]);
  });

  it('are not sent for a revoked token', async () => {
    const token = await make(60);
    await call('DELETE', `/v1/tokens/${token}`);
    at(59 * DAY_MS);
    await run();
    expect(await warned(token)).toEqual([]);
  });

  it('are not lost if a replica ends before the event is stored', async () => {
    const token = await make(60);
    at(30 * DAY_MS);
    const fire = jest.spyOn(app.app.get(EventOutbox), 'fire').mockRejectedValueOnce(new Error('killed'));
    await expect(run()).rejects.toThrow('killed');
    fire.mockRestore();
    expect(await warned(token)).toEqual([]);
    await run(other);
    expect(await warned(token)).toEqual([30]);
  });
});
