import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { detect } from '../e2e/anomalies/anomalies.support.js';
import { makeAuthority } from '../support/certificates.js';
import { startEndpoint, type Endpoint } from '../support/https-endpoint.js';
import { startSite, type Site } from '../emulators/jira/site.js';
import { ManualClock } from '../support/manual-clock.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';
import { distinct, NONE, refused, visit } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { fill } from './support/fill.js';
import { keyboardOf } from './support/keyboard.js';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const DAY_MS = 86_400_000;

describe('an operator with a keyboard only', () => {
  let database: TestDatabase;
  let time: MovedTime;
  let jira: Site;
  let endpoint: Endpoint;
  let userIds: string[] = [];

  const desk = openDesk({
    settings: async () => {
      const authority = await makeAuthority();
      [database, jira, endpoint] = await Promise.all([
        createMigratedDatabase(),
        startSite({ authority, isStrict: false }),
        startEndpoint({ authority }),
      ]);
      time = await moveTime(database);
      return {
        ...{ DATABASE_URL: database.url, GOVERNANCE_KEYS: KEYS, NODE_EXTRA_CA_CERTS: authority.caFile() },
        ...{ GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8', GOVERNANCE_RATE_LIMIT: '0' },
      };
    },
    fill: async api => {
      ({ userIds } = await fill(api));
    },
    end: async () => {
      await Promise.all([jira?.close(), endpoint?.close()]);
      await database?.drop();
    },
  });
  const { sheet } = desk;
  const keyboard = keyboardOf(() => desk.page);
  /** Waits until the page receives live updates. */
  const isLive = (): Promise<void> => desk.page.getByText('Live', { exact: true }).waitFor();
  const heading = (name: string): Promise<void> => desk.page.getByRole('heading', { level: 1, name }).waitFor();

  it('creates a policy, simulates it, enables it, and sees its first violation', async () => {
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('p', 'Policies');
    await keyboard.press('New policy');
    await sheet().getByText('Add condition').waitFor();
    await keyboard.type('Name', 'No small models');
    await keyboard.choose('When it matches', 'Block: refuse the call');
    await keyboard.type('Models', 'gpt-4o-mini');
    await keyboard.press('Run simulation');
    await sheet()
      .getByText(/It would have blocked \d+ calls that the current policies allow/)
      .waitFor();
    await keyboard.press('Enabled', 'Space');
    await keyboard.press('Create policy');
    await sheet().getByRole('heading', { name: 'History' }).waitFor();
    await desk.api('POST', '/v1/decisions', { user_id: userIds[0], provider: 'openai', model: 'gpt-4o-mini' });
    await keyboard.press('Enable…');
    await keyboard.press('Enable');
    await sheet().getByText('Enabled', { exact: true }).first().waitFor();
    await keyboard.go('i', 'Incidents');
    await isLive();
    await desk.page.getByRole('row', { name: 'Never export' }).first().waitFor();
    expect(await desk.page.getByRole('row', { name: 'No small models' }).count()).toBe(0);
    await desk.api('POST', '/v1/decisions', { user_id: userIds[0], provider: 'openai', model: 'gpt-4o-mini' });
    await desk.page.getByRole('button', { name: /change.* – view/ }).waitFor();
    await keyboard.press(/change.* – view/);
    await keyboard.open('No small models');
    await sheet().getByText('Timeline').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('registers a webhook, pings it, watches a failing delivery, retries it, and recovers the others', async () => {
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('w', 'Webhooks');
    await keyboard.press('Register endpoint');
    await sheet().getByText('Redirects are not followed').waitFor();
    await keyboard.type('URL', endpoint.url);
    await keyboard.type('Description', 'Relay of the desk');
    await keyboard.press('Register');
    await desk.page.getByText('You will not see it again.').waitFor();
    await keyboard.press(/^I have copied it/);
    const log = sheet().getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    const line = (text: string) => log.filter({ hasText: text });
    await keyboard.press('Send ping');
    await line('Ping').filter({ hasText: 'Delivered' }).waitFor();

    endpoint.behave(500);
    const violate = (model: string): Promise<unknown> =>
      desk.api('POST', '/v1/decisions', { user_id: userIds[1], provider: 'openai', model });
    await violate('export-first');
    // The third attempt is followed by 30 seconds of waiting, of which the page shows each one.
    const waiting = line('Policy violation').filter({ hasText: /attempt 3 of 5, next in 0:\d\d/ });
    await waiting.waitFor();
    const left = async (): Promise<number> =>
      Number(/attempt 3 of 5, next in 0:(\d\d)/.exec((await waiting.textContent()) ?? '')?.[1]);
    const first = await left();
    expect(first).toBeGreaterThan(1);
    await until(async () => (await left()) < first);
    await sheet()
      .locator('dl > div')
      .filter({ hasText: /^Last answer.*HTTP 500/ })
      .waitFor();
    await violate('export-second');
    await violate('export-third');
    // Advances the clock beyond the next attempt, as often as necessary.
    await until(async () => {
      await time.advance(300_000);
      return (await line('Policy violation').filter({ hasText: 'Failed' }).count()) === 3;
    });

    endpoint.behave('ok');
    await keyboard.press(/^Retry Policy violation/);
    await line('Policy violation').filter({ hasText: 'Delivered' }).waitFor();
    await keyboard.press('Recover failed…');
    await keyboard.choose('Failed since', '24 hours ago');
    await keyboard.press('Recover 2 deliveries');
    await until(async () => (await line('Policy violation').filter({ hasText: 'Delivered' }).count()) === 3);
    await keyboard.press('All', 'ArrowRight');
    await sheet().getByText('No deliveries with this status.').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('connects Jira with the form of its schemas, tests it, and sees the id of the test ticket', async () => {
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('n', 'Integrations');
    const platforms = desk.page
      .locator('section')
      .filter({ has: desk.page.getByText('Ticket platforms', { exact: true }) });
    await platforms.getByRole('link', { name: 'Connect platform' }).waitFor();
    await keyboard.press('Connect platform');
    await desk.page.getByRole('radio', { name: 'ServiceNow' }).waitFor();
    await keyboard.press('ServiceNow', 'ArrowRight');
    await desk.page.getByText('Connect Jira Cloud').waitFor();
    await keyboard.type('Name', 'Board of the desk');
    await keyboard.type('Instance URL', jira.settings.instance_url);
    await keyboard.type('Project key', jira.settings.project_key);
    await keyboard.type('Issue type', jira.settings.issue_type);
    await keyboard.choose('Minimum severity', 'Critical');
    await keyboard.type('E-mail', jira.account.email);
    await keyboard.type('API token', jira.account.api_token);
    await keyboard.press('Connect');
    await keyboard.press('Run test');
    const checks = sheet().getByRole('list', { name: 'Checks' });
    await checks.getByText('SEC-1', { exact: true }).waitFor();
    expect(await checks.getByText('Failed').count()).toBe(0);
    expect(jira.issues.all).toHaveLength(1);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('approves a request with a reason', async () => {
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('a', 'Approvals');
    await keyboard.open('person-6@example.com');
    await keyboard.press('Approve…');
    await keyboard.type('Reason', 'For the trial');
    await keyboard.press('Approve');
    await sheet().getByText('Approved', { exact: true }).waitFor();
    const { items } = await desk.api('GET', '/v1/approvals?status=approved');
    expect(items).toEqual([expect.objectContaining({ user_email: 'person-6@example.com', reason: 'For the trial' })]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('offboards a user, and sees what has stopped, since when and why', async () => {
    await desk.page.goto('./overview');
    await heading('Overview');
    await keyboard.go('u', 'Users');
    await keyboard.open('Grace Lindqvist');
    await sheet().getByRole('heading', { name: 'Access', exact: true }).waitFor();
    await keyboard.press('Offboard…');
    await keyboard.type('Reason', 'End of contract');
    await keyboard.press('Offboard');
    await sheet().getByText('Access revoked').waitFor();
    await sheet().getByText('End of contract').waitFor();
    const fact = (text: RegExp) => sheet().locator('dl > div').filter({ hasText: text });
    await fact(/^Calls to modelsBlocked$/).waitFor();
    await fact(/^CauseOffboarding$/).waitFor();
    const since = await fact(/^Since/)
      .locator('time')
      .getAttribute('datetime');
    expect(Math.abs(Date.now() - Date.parse(String(since)))).toBeLessThan(60_000);
    const { items } = await desk.api('GET', '/v1/users?status=suspended');
    expect(items).toEqual([expect.objectContaining({ name: 'Grace Lindqvist' })]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('reads why usage is unusual, and marks it as expected', async () => {
    await useUnusually(userIds[7] ?? '');
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('i', 'Incidents');
    await keyboard.choose('Type', 'Anomaly');
    await keyboard.open('person-8@example.com');
    await sheet().getByText('Rule', { exact: true }).waitFor();
    await sheet().getByRole('link', { name: 'Hiro Tanaka' }).waitFor();
    await sheet()
      .getByRole('img', { name: /observed, at most .* expected from \d+ earlier values/ })
      .waitFor();
    await sheet()
      .getByText(/^[A-Z][a-z]{2} \d+ \(\S+\)$/)
      .waitFor();
    await keyboard.press('Expected: fewer alerts like it');
    await sheet().getByText('Marked as expected').waitFor();
    const { items } = await desk.api('GET', `/v1/anomalies?user_id=${userIds[7]}`);
    expect(items).toEqual([expect.objectContaining({ feedback: 'expected' })]);
    const starts = (items as { window: { start: string } }[]).map(({ window }) => Date.parse(window.start));
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await desk.page.goto('./overview');
    await heading('Overview');
    await keyboard.press('Check yesterday for anomalies');
    for (const [name, from] of [
      ['Usage of yesterday', today - DAY_MS],
      ['Usage of today', today],
    ] as const) {
      await keyboard.choose('Day of usage', name);
      const isOfDay = starts.some(start => start >= from && start < from + DAY_MS);
      const found = isOfDay ? 'person-8@example.com' : `No anomalies in the ${name.toLowerCase()}`;
      await desk.page.getByText(found).filter({ visible: true }).first().waitFor();
    }
    await keyboard.choose('Day of usage', 'Usage of the last 7 days');
    await keyboard.open('Unusual usage');
    await sheet().getByRole('heading', { name: 'Was this expected?' }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  /** A quiet month and a busy day of a user, and another replica of the app that runs the detection. */
  async function useUnusually(user_id: string): Promise<void> {
    const now = Date.now();
    const call = { user_id, provider: 'openai', model: 'gpt-4o', output_tokens: 100 };
    const at = (ms: number, input_tokens: number) => ({
      ...{ ...call, id: randomUUID(), input_tokens, occurred_at: new Date(ms).toISOString() },
    });
    const quiet = Array.from({ length: 30 * 20 }, (_, each) => at(now - (each + 20) * (DAY_MS / 20), 1_000));
    const loud = Array.from({ length: 300 }, (_, each) => at(now - 1 - (each % 2) * DAY_MS, 90_000));
    await desk.api('POST', '/v1/usage/events', { events: [...quiet, ...loud] });
    const { id: orgId } = await desk.api('GET', '/v1/organization');
    const replica = await startTestApp({
      ...{ testDatabase: database, orgId: String(orgId), keys: KEYS, time: new ManualClock(new Date()) },
    });
    try {
      await until(async () => {
        await detect(replica);
        const { items } = await desk.api('GET', `/v1/anomalies?user_id=${user_id}`);
        return Array.isArray(items) && items.length > 0;
      }, 30_000);
    } finally {
      await replica.close();
    }
  }

  it('downloads the displayed usage with the exact bytes of the API', async () => {
    await desk.page.goto('./users');
    await heading('Users');
    await keyboard.go('s', 'Usage');
    await desk.page.getByText('Breakdown').waitFor();
    await keyboard.press('By model', 'ArrowRight');
    await desk.page.getByRole('columnheader', { name: 'User' }).waitFor();
    const asked = desk.page.waitForRequest(request => request.headers()['accept'] === 'text/csv');
    const saved = desk.page.waitForEvent('download');
    await keyboard.press('CSV');
    const address = (await asked).url();
    const file = readFileSync(await (await saved).path());
    const answer = await fetch(address, { headers: { authorization: `Bearer ${desk.app.token}`, accept: 'text/csv' } });
    expect(file.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(new URL(address).searchParams.get('group_by')).toBe('user');
  });

  it('signs in, is signed out by another browser, and signs in again on the same page', async () => {
    const { id } = await desk.api('POST', '/v1/users', { email: 'visitor@example.com', name: 'A visitor' });
    const { token } = await desk.api('POST', '/v1/tokens', { name: 'Visit', role: 'admin', user_id: id });
    const away = await visit(desk.browser, desk.app.url);
    const there = keyboardOf(() => away.page);
    try {
      await away.page.goto('./budgets');
      await there.type('Access token', String(token));
      await away.page.keyboard.press('Enter');
      await away.page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();

      await desk.page.goto('./users');
      await heading('Users');
      await keyboard.go('e', 'Settings');
      await keyboard.press('End the session of visitor@example.com');
      await keyboard.press('End session');
      await desk.page.getByText('Session ended').waitFor();

      await away.page.keyboard.press('g');
      await away.page.keyboard.press('p');
      await away.page.getByText('Your session has ended').waitFor();
      await there.type('Access token', String(token));
      await away.page.keyboard.press('Enter');
      await away.page.getByRole('link', { name: 'Never export' }).waitFor();
      // The browser's console contains only the refused requests of the signed-out browser.
      expect(distinct(away.complaints)).toEqual({ ...NONE, console: [refused(401)] });
      expect(desk.visitor.complaints).toEqual(NONE);
    } finally {
      await away.context.close();
    }
  });

  it('is warned when idle, stays signed in at a key press, and signs in again on the same page after the idle end', async () => {
    const away = await visit(desk.browser, desk.app.url);
    const there = keyboardOf(() => away.page);
    const token = desk.app.token ?? '';
    const dialog = away.page.getByRole('dialog');
    try {
      await away.page.clock.install();
      await away.page.goto('./audit?range=30d');
      await there.type('Access token', token);
      await away.page.keyboard.press('Enter');
      await away.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();

      await away.page.clock.fastForward('28:30');
      await dialog.getByText('Are you still there?').waitFor();
      await there.press('Stay signed in');
      await dialog.waitFor({ state: 'detached' });
      await away.page.clock.fastForward('28:30');
      await dialog.getByText('Are you still there?').waitFor();
      // Advances the server's time by the same half hour.
      const { items } = await desk.api('GET', '/v1/sessions?limit=1');
      const [{ id }] = items as [{ id: string }];
      await database.asOwner(
        `update governance.dashboard_sessions set last_input_at = last_input_at - interval '30 minutes' where id = $1`,
        [id],
      );
      await away.page.clock.fastForward('02:00');
      await dialog.getByText('Your session has ended').waitFor();
      await there.type('Access token', token);
      await away.page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await away.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
      expect(new URL(away.page.url()).search).toBe('?range=30d');
      // The browser logs the refused request.
      expect(distinct(away.complaints)).toEqual({ ...NONE, console: [refused(401)] });
    } finally {
      await away.context.close();
    }
  });
});
