import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { reroute } from '../../support/itsm/rerouted.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { APPROVALS, askFor, GRACE, MEMBER, shown, slackStage, type SlackStage } from './chat-notices.support.js';

const platforms = platformAccess();
let app: TestApp;
let stage: SlackStage;

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } });
  const origin = () => stage.slack.origin;
  reroute(app, { 'slack.com': origin, 'hooks.slack.com': origin });
});

beforeEach(async () => {
  stage = await slackStage(app, platforms.authority, { approvals: APPROVALS });
});

afterEach(() => stage.slack.close());

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

const approval = async (id: string) => (await stage.call('GET', `/v1/approvals/${id}`)).body;
const member = (): string => stage.users[MEMBER] ?? '';

describe('an approval request in Slack', () => {
  it('is announced once, however often the user asks', async () => {
    const id = await askFor(stage, member());
    await stage.call('POST', '/v1/decisions', { user_id: member(), provider: 'openai', model: 'gpt-4o' });
    const message = await stage.message();
    expect(message.channel).toBe('C0APPROVALS');
    for (const text of ['Request for approval: Ask first', 'openai/gpt-4o', 'Waiting for a decision', id]) {
      expect(shown(message)).toContain(text);
    }
  });

  it.each([
    ['Approve', 'approved', 'Approved by Grace Hopper'],
    ['Deny', 'denied', 'Denied by Grace Hopper'],
  ])('is decided by “%s” as the user who pressed the button', async (label, status, state) => {
    const id = await askFor(stage, member());
    const message = await stage.message();
    expect((await stage.press(message, label, GRACE)).status).toBe(200);
    expect(await stage.told()).toContain(`You ${status} the request of`);
    await stage.says(message, state);
    expect(shown(message)).not.toContain('"value"');
    expect(await approval(id)).toMatchObject({
      status,
      decided_by: { kind: 'chat', id: stage.users[GRACE], user_id: stage.users[GRACE], person: true },
    });
  });

  it('shows a second user the existing decision, and keeps it', async () => {
    const id = await askFor(stage, member());
    const message = await stage.message();
    const late = stage.slack.press(message, 'Deny', GRACE);
    await stage.press(message, 'Approve', GRACE);
    await stage.told();
    await stage.send(late);
    expect(await stage.told(2)).toBe('This request is already decided: Approved by Grace Hopper.');
    expect((await approval(id)).status).toBe('approved');
  });

  it('refuses users who may not decide, and the requester, with a private message', async () => {
    const id = await askFor(stage, member());
    const message = await stage.message();
    await stage.press(message, 'Approve', MEMBER);
    expect(await stage.told()).toBe('Your account lacks the permission; ask an administrator.');
    await stage.call('POST', `/v1/approvals/${id}/deny`);
    const own = await askFor(stage, stage.users[GRACE] ?? '');
    const second = await stage.message(2);
    await stage.press(second, 'Approve', GRACE);
    expect(await stage.told(2)).toContain('You cannot decide this approval: it is about you');
    expect((await approval(own)).status).toBe('pending');
  });

  it('shows decisions made elsewhere, also the end of a grant', async () => {
    const id = await askFor(stage, member());
    const message = await stage.message();
    await stage.call('POST', `/v1/approvals/${id}/approve`);
    await stage.says(message, 'Approved by');
    await stage.call('POST', `/v1/approvals/${id}/revoke`);
    await stage.says(message, 'Revoked by');
    expect(stage.slack.messages).toHaveLength(1);
  });

  it('can be decided by a command with its id', async () => {
    const { slack } = stage;
    const id = await askFor(stage, member());
    const type = async (text: string): Promise<string> => {
      const [trigger_id, user_id, command] = [randomUUID(), GRACE, '/service-alerts'];
      const form = new URLSearchParams({ ...{ command, text, user_id, trigger_id }, team_id: slack.teamId });
      const { body, headers } = slack.sign(form.toString());
      return (await app.as(null)('POST', '/v1/integrations/slack/commands', body, headers)).body.text;
    };
    expect(await type('approve 1')).toBe('Name the request by its whole id.');
    expect(await type(`approve ${randomUUID()}`)).toContain('There is no approval');
    expect(await type(`deny ${id}`)).toContain('You denied the request');
    expect((await approval(id)).status).toBe('denied');
  });
});
