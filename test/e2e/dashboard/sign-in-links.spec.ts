import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { Browser, builtPage } from './dashboard.support.js';

const MINUTE = 60_000;

describe('a sign-in link', () => {
  const time = new ManualClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ dashboard: { sessions: true, folder: await builtPage() }, time });
  });

  afterAll(() => app?.close());

  async function newLink(call = app.call, body: object = {}): Promise<string> {
    const made = await call('POST', '/v1/sessions/links', body);
    expect(made.status).toBe(201);
    return made.body.code as string;
  }

  const useOf = (link: string, browser = new Browser(app)) => browser.call('POST', '/session', { link });

  it('signs a browser in with the token that created it', async () => {
    const browser = new Browser(app);
    const { call } = await app.addToken('auditor');
    expect((await useOf(await newLink(call), browser)).body).toMatchObject({ kind: 'token', role: 'auditor' });
    expect((await browser.call('GET', '/v1/me')).status).toBe(200);
  });

  it('works once, also for two concurrent browsers', async () => {
    const link = await newLink();
    const answers = await Promise.all(Array.from({ length: 8 }, () => useOf(link)));
    const statuses = Object.groupBy(answers, ({ status }) => status);
    expect([statuses[201]?.length, statuses[401]?.length]).toEqual([1, 7]);
  });

  it('expires after ten minutes, or after the requested time', async () => {
    const [short, long] = [await newLink(), await newLink(app.call, { expires_in_minutes: 20 })];
    time.advance(11 * MINUTE);
    expect((await useOf(short)).status).toBe(401);
    expect((await useOf(long)).status).toBe(201);
    expect((await app.call('POST', '/v1/sessions/links', { expires_in_minutes: 1441 })).status).toBe(400);
  });

  it('ends with its token', async () => {
    const { body: made } = await app.call('POST', '/v1/tokens', { name: 'Short-lived', role: 'auditor' });
    const link = await newLink(app.as(made.token));
    expect((await app.call('DELETE', `/v1/tokens/${made.id}`)).status).toBe(204);
    expect((await useOf(link)).status).toBe(401);
  });

  it('of another organization signs in to that organization', async () => {
    const other = await app.addOrganization();
    expect((await useOf(await newLink(other.call))).body.organization.id).toBe(other.orgId);
  });

  it('is in the audit log without its code', async () => {
    const link = await newLink();
    const { text } = await app.call('GET', '/v1/audit-log?action=sign_in_link.created');
    expect(text).toContain('"action":"sign_in_link.created"');
    expect(text).not.toContain(link);
  });

  it.each(['x', 'A'.repeat(64)])('with an unknown code is refused: %s', async link => {
    expect((await useOf(link)).status).toBe(401);
  });

  it('is required if the request has no token', async () => {
    const { status, body } = await new Browser(app).call('POST', '/session', {});
    expect(status).toBe(400);
    expect(body.message).toContain('link');
  });
});
