import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ChatCommandAdapter,
  type ChatCommand,
  type ChatNotice,
  type ChatNotifier,
  type ChatOutcome,
  type ChatPress,
  type ChatRequest,
  type ChatTarget,
  type JsonObject,
} from '#itsm';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { startPlatform, type PlatformEndpoint } from '../../support/itsm/platform-endpoint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn, type Stage } from '../incidents.support.js';

/** The JSON format of this test's platform, which is signed in a header. */
interface Sent {
  team: string;
  account: string;
  press?: string;
  id: string;
  reply: string;
}

const platforms = platformAccess();
let platform: PlatformEndpoint;

/** A notifier that posts to the URL in the secret of the workspace, and edits its posts. */
class RelayNotifier implements ChatNotifier {
  readonly secretTitle = 'URL';

  secretFault(secret: string): string | undefined {
    return URL.canParse(secret) ? undefined : 'must be a URL';
  }

  channelFault(channel: string | undefined): string | undefined {
    return channel === 'room' ? undefined : 'must be room';
  }

  origins(secret: string): readonly string[] {
    return [new URL(secret).origin];
  }

  async post({ http, secret, channel }: ChatTarget, notice: ChatNotice, key: string): Promise<ChatOutcome> {
    await http.request({ method: 'POST', url: secret, json: { key, channel, ...jsonOf(notice) } });
    return { kind: 'sent', ref: key };
  }

  async update({ http, secret }: ChatTarget, ref: string, notice: ChatNotice): Promise<ChatOutcome> {
    await http.request({ method: 'PUT', url: secret, json: { key: ref, ...jsonOf(notice) } });
    return { kind: 'sent', ref };
  }
}

function jsonOf({ title, state, buttons }: ChatNotice): JsonObject {
  return { title, state, commands: buttons.map(({ command }) => command) };
}

@Injectable()
class RelayChat extends ChatCommandAdapter {
  readonly kind = 'relay';
  readonly title = 'Relay';
  override readonly notifier = new RelayNotifier();

  isWorkspace(text: string): boolean {
    return /^\d{1,9}$/.test(text);
  }

  isAccount(text: string): boolean {
    return /^\d{1,9}$/.test(text);
  }

  read(): ChatCommand | null {
    return null;
  }

  override readPress({ body }: ChatRequest): ChatPress | null {
    // This test sends the body, so it is not validated.
    const { team, account, press, id, reply } = JSON.parse(new URLSearchParams(String(body)).get('p') ?? '{}') as Sent;
    if (press === undefined) return null;
    return { workspace: team, account, text: press, requestId: id, replyUrl: reply };
  }

  isProbe(): boolean {
    return false;
  }

  isAuthentic({ headers, body }: ChatRequest, secret: string): boolean {
    return headers['relay-signature'] === signatureOf(secret, String(body));
  }

  isReplyUrl(url: string): boolean {
    return url.startsWith(`${platform.origin}/`);
  }

  reply(text: string): JsonObject {
    return { said: text };
  }
}

function signatureOf(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

describe('a chat that a host adds', () => {
  const secret = 'signing-secret-of-relay';
  let app: TestApp;
  let stage: Stage;

  beforeAll(async () => {
    platform = await startPlatform({ authority: platforms.authority }, () => ({ status: 200, json: {} }));
    app = await startTestApp({
      ...{ chatAdapters: [RelayChat], egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } },
    });
    stage = await stageOn(app);
    const workspace = { platform: 'relay', workspace: '7' };
    const notifications = { incidents: { channel: 'room' } };
    const secrets = { signing_secret: secret, notification_secret: `${platform.origin}/hook/0123456789` };
    await stage.call('POST', '/v1/chat/workspaces', { ...workspace, ...secrets, notifications });
    const link = { ...workspace, account: '1', user_id: stage.userId, role: 'admin' };
    await stage.call('POST', '/v1/chat/links', link);
  });

  afterAll(async () => {
    await app.close();
    await platform.close();
  });

  it('gets notifications, receives button presses, and shows who decided, by means of one class', async () => {
    await stage.violate();
    const { id } = (await stage.incidents())[0];
    await until(async () => platform.received.length === 1);
    const [posted] = platform.received;
    expect(posted?.json).toMatchObject({ channel: 'room', state: 'Open', commands: [`ack ${id}`] });
    const sent: Sent = { team: '7', account: '1', press: `ack ${id}`, id: 'once', reply: `${platform.origin}/reply` };
    const body = new URLSearchParams({ p: JSON.stringify(sent) }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'relay-signature': signatureOf(secret, body),
    };
    const { status } = await app.as(null)('POST', '/v1/integrations/relay/interactions', body, headers);
    expect(status).toBe(200);
    await until(async () => platform.received.length === 3);
    const told = platform.received.map(({ method, json }) => [method, json]);
    expect(told).toContainEqual(['POST', { said: `Incident ${id} is acknowledged by you.` }]);
    const state = 'Acknowledged by Ada';
    expect(told).toContainEqual([
      'PUT',
      expect.objectContaining({ state, commands: [], key: Object(posted?.json).key }),
    ]);
  });
});
