import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SlackMessage } from '../../emulators/slack/workspace.js';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { reroute } from '../../support/itsm/rerouted.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { askFor, GRACE, MEMBER, openIncident, slackStage, type SlackStage } from './chat-notices.support.js';

const WEEK_MS = 7 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const platforms = platformAccess();
let app: TestApp;
let stage: SlackStage;

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } });
  const origin = () => stage.slack.origin;
  reroute(app, { 'slack.com': origin, 'hooks.slack.com': origin });
});

beforeEach(async () => {
  stage = await slackStage(app, platforms.authority);
});

afterEach(() => stage.slack.close());

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

/** A copy of the message, as a client shows it if the client has not loaded later edits. */
const seen = (message: SlackMessage): SlackMessage => structuredClone(message);

const read = async (path: string) => (await stage.call('GET', path)).body;

/** Presses a button, and returns the private answer. */
async function answerTo(message: SlackMessage, label: string, account = GRACE): Promise<string> {
  const before = stage.slack.ephemerals.length;
  expect((await stage.press(message, label, account)).status).toBe(200);
  return stage.told(before + 1);
}

/** Runs an action and expects that it does not change the resource. */
async function unchanged<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  const before = await read(path);
  const result = await act();
  expect(await read(path)).toEqual(before);
  return result;
}

describe('a late press on a request for approval', () => {
  const asked = async () => {
    const id = await askFor(stage, stage.users[MEMBER] ?? '');
    return { path: `/v1/approvals/${id}`, message: seen(await stage.message()) };
  };

  it.each(['Approve', 'Deny'])('says that the request has expired: %s', async label => {
    const { path, message } = await asked();
    app.clock.advance(WEEK_MS + 1);
    const text = await unchanged(path, () => answerTo(message, label));
    expect(text).toBe('This request expired before anybody decided it; the next refused decision opens a new one.');
    expect(await read(path)).toMatchObject({ status: 'expired', decided_by: null });
  });

  it('says who approved a request whose approval has expired', async () => {
    const { path, message } = await asked();
    await answerTo(message, 'Approve');
    app.clock.advance(DAY_MS + 1);
    const text = await unchanged(path, () => answerTo(message, 'Approve'));
    expect(text).toBe('This request was approved by Grace Hopper, and the approval has expired.');
  });

  it.each([
    ['approved', ['Approve']],
    ['denied', ['Deny']],
  ])('says that the request was %s by the same user', async (status, [label = '']) => {
    const { path, message } = await asked();
    await answerTo(message, label);
    for (const again of ['Approve', 'Deny']) {
      const text = await unchanged(path, () => answerTo(message, again));
      expect(text.toLowerCase()).toBe(`this request is already decided: ${status} by grace hopper.`);
    }
  });

  it('says that the approval was withdrawn', async () => {
    const { path, message } = await asked();
    await answerTo(message, 'Approve');
    expect((await stage.call('POST', `${path}/revoke`)).status).toBe(200);
    const text = await unchanged(path, () => answerTo(message, 'Approve'));
    expect(text).toContain('This request is already decided: Revoked by ');
  });
});

describe('a late press on an incident', () => {
  const opened = async () => {
    const id = await openIncident(stage);
    return { id, path: `/v1/incidents/${id}`, message: seen(await stage.message()) };
  };

  it('says that the same user has acknowledged the incident', async () => {
    const { id, path, message } = await opened();
    await answerTo(message, 'Acknowledge');
    const text = await unchanged(path, () => answerTo(message, 'Acknowledge'));
    expect(text).toBe(`Incident ${id} was already acknowledged by Grace Hopper.`);
  });

  it('says who has resolved the incident', async () => {
    const { id, path, message } = await opened();
    await stage.call('PATCH', path, { status: 'resolved', resolution: 'done' });
    const { resolved_by: by } = await read(path);
    const text = await unchanged(path, () => answerTo(message, 'Acknowledge'));
    expect(text).toBe(`Incident ${id} was already resolved by ${by.name}.`);
  });

  it('is answered once, and has one effect, if Slack delivers it twice, at once or later', async () => {
    const { id, path, message } = await opened();
    const { body, headers } = stage.slack.press(message, 'Acknowledge', GRACE);
    const again = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
    const deliveries = await Promise.all([
      stage.send({ body, headers }),
      stage.send({ body, headers: { ...headers, ...again } }),
    ]);
    expect(await stage.told()).toBe(`Incident ${id} is acknowledged by you.`);
    deliveries.push(await unchanged(path, () => stage.send({ body, headers: { ...headers, ...again } })));
    expect(deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
    // The repeated deliveries got no private answer, so this new press gets the second one.
    expect(await answerTo(message, 'Acknowledge')).toBe(`Incident ${id} was already acknowledged by Grace Hopper.`);
    expect(stage.slack.ephemerals).toHaveLength(2);
    const { items } = await read(`${path}/timeline`);
    expect(items.filter(({ kind }: { kind: string }) => kind === 'status')).toHaveLength(1);
  });

  it('names the winner if two users press at the same moment', async () => {
    const { id, path, message } = await opened();
    const { account, link } = { account: 'U0SECOND', link: { platform: 'slack', workspace: stage.slack.teamId } };
    const second = { ...link, account, user_id: stage.users[MEMBER], role: 'admin' };
    expect((await stage.call('POST', '/v1/chat/links', second)).status).toBe(201);
    await Promise.all([GRACE, account].map(each => stage.press(message, 'Acknowledge', each)));
    await stage.told(2);
    const { acknowledged_by: by } = await read(path);
    expect(stage.slack.ephemerals.map(({ text }) => text).toSorted()).toEqual([
      `Incident ${id} is acknowledged by you.`,
      `Incident ${id} was already acknowledged by ${by.name}.`,
    ]);
  });
});

describe('a press by a user who was locked out after the message was sent', () => {
  it.each([
    [
      'is inactive',
      () => stage.call('PUT', `/v1/users/${stage.users[GRACE]}`, { status: 'inactive' }),
      'The user of your account is suspended or inactive.',
    ],
    [
      'was offboarded',
      () => stage.call('POST', `/v1/users/${stage.users[GRACE]}/offboard`, { reason: 'Left' }),
      /^Your account is not linked to a user of your organization\./,
    ],
    [
      'is no longer linked',
      async () => {
        const { items } = await read('/v1/chat/links');
        const { id } = items.find((each: { account: string }) => each.account === GRACE);
        return stage.call('DELETE', `/v1/chat/links/${id}`);
      },
      /^Your account is not linked to a user of your organization\./,
    ],
  ])('is answered with the reason and changes nothing: the user %s', async (_what, lock, expected) => {
    const incident = `/v1/incidents/${await openIncident(stage)}`;
    const alarm = seen(await stage.message());
    const approval = `/v1/approvals/${await askFor(stage, stage.users[MEMBER] ?? '')}`;
    const request = seen(await stage.message(2));
    expect([200, 204]).toContain((await lock()).status);
    expect(await unchanged(incident, () => answerTo(alarm, 'Acknowledge'))).toMatch(expected);
    expect(await unchanged(approval, () => answerTo(request, 'Approve'))).toMatch(expected);
    expect(await read(incident)).toMatchObject({ status: 'open' });
    expect(await read(approval)).toMatchObject({ status: 'pending' });
  });
});
