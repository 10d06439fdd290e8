import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { startSlack, type Slack, type SlackCall, type SlackMessage } from '../../emulators/slack/workspace.js';
import type { Authority } from '../../support/certificates.js';
import { giveChatTime } from '../../support/itsm/chat-time.js';
import type { Answer, Call, TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';

/** Users of the stage, by chat account. */
export const GRACE = 'U0GRACE';
export const MEMBER = 'U0MEMBER';

/** An organization with a Slack workspace that is notified of incidents and approval requests. */
export interface SlackStage {
  readonly call: Call;
  readonly orgId: string;
  readonly slack: Slack;
  readonly workspaceId: string;
  /** Ids of users, by chat account. */
  readonly users: Readonly<Record<string, string>>;
  /** Sends a button press to the app, as Slack does. */
  send(press: SlackCall): Promise<Answer>;
  press(message: SlackMessage, label: string, account: string): Promise<Answer>;
  /** Waits for the number of messages, and returns the last one. */
  message(count?: number): Promise<SlackMessage>;
  /** Waits until a message contains this text. */
  says(message: SlackMessage, text: string): Promise<void>;
  /** Waits for the number of private answers, and returns the last text. */
  told(count?: number): Promise<string>;
  workspace(): Promise<Answer['body']>;
}

export const INCIDENTS = { channel: 'C0SECURITY' };
export const APPROVALS = { channel: 'C0APPROVALS' };

/** All visible texts of a message. */
export function shown({ blocks }: SlackMessage): string {
  return JSON.stringify(blocks);
}

export async function slackStage(
  app: TestApp,
  authority: Authority,
  notifications: object = { incidents: INCIDENTS, approvals: APPROVALS },
): Promise<SlackStage> {
  const { orgId, call } = await app.addOrganization();
  giveChatTime(app);
  const slack = await startSlack({ authority });
  slack.now = () => app.clock.now();
  const platform = { platform: 'slack', workspace: slack.teamId };
  const made = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await call('POST', path, body);
    expect([path, answer.status, answer.text]).toEqual([path, 201, expect.any(String)]);
    return answer.body;
  };
  const secrets = { signing_secret: slack.signingSecret, notification_secret: slack.botToken };
  const { id: workspaceId } = await made('/v1/chat/workspaces', { ...platform, ...secrets, notifications });
  const users: Record<string, string> = {};
  for (const [account, name, role] of [
    [GRACE, 'Grace Hopper', 'admin'],
    [MEMBER, 'Ada', 'member'],
  ] as const) {
    const { id } = await made('/v1/users', { email: `${randomUUID()}@example.com`, name });
    await made('/v1/chat/links', { ...platform, account, user_id: id, role });
    users[account] = id;
  }
  const send = ({ body, headers }: SlackCall): Promise<Answer> =>
    app.as(null)('POST', '/v1/integrations/slack/interactions', body, headers);
  return {
    ...{ call, orgId, slack, workspaceId, users, send },
    press: (message, label, account) => send(slack.press(message, label, account)),
    async message(count = 1) {
      await until(async () => slack.messages.length >= count);
      expect(slack.messages).toHaveLength(count);
      // The message exists, because `toHaveLength` has passed.
      return slack.messages[count - 1] as SlackMessage;
    },
    says: (message, text) => until(async () => shown(message).includes(text)).then(() => undefined),
    async told(count = 1) {
      await until(async () => slack.ephemerals.length >= count);
      return slack.ephemerals[count - 1]?.text ?? '';
    },
    async workspace() {
      return (await call('GET', '/v1/chat/workspaces')).body.items[0];
    },
  };
}

/**
 * Requests a decision that violates a policy of this severity and opens an incident. Returns the id of the incident.
 */
export async function openIncident({ call, users }: SlackStage, severity = 'high'): Promise<string> {
  const policy = await call('POST', '/v1/policies', {
    name: `Large <models> ${randomUUID()}`,
    action: 'block',
    severity,
  });
  expect(policy.status).toBe(201);
  const request = { user_id: users[MEMBER], provider: 'openai', model: 'gpt-4o' };
  expect((await call('POST', '/v1/decisions', request)).body.allowed).toBe(false);
  await call('PUT', `/v1/policies/${policy.body.id}`, { enabled: false });
  const { items } = (await call('GET', '/v1/incidents')).body;
  return items[0].id;
}

/** Requests a decision that needs an approval for a user. Returns the id of the request. */
export async function askFor({ call }: SlackStage, userId: string): Promise<string> {
  await call('POST', '/v1/policies', { name: 'Ask first', action: 'require_approval' });
  const answer = await call('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'gpt-4o' });
  expect(answer.body.approval_id).toEqual(expect.any(String));
  return answer.body.approval_id;
}
