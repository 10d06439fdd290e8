import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ask, type VendorAnswer } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import { startSlack, type Slack, type SlackCall } from './workspace.js';

const platforms = platformAccess();
let slack: Slack;
beforeEach(async () => {
  slack = await startSlack({ authority: platforms.authority });
});
afterEach(() => slack.close());

const method = (name: string, json: JsonObject, token = slack.botToken): Promise<VendorAnswer> =>
  ask(platforms.egress, `${slack.origin}/api/${name}`, { json, headers: { authorization: `Bearer ${token}` } });

const button = (label: string, value: string): JsonObject => ({
  ...{ type: 'button', action_id: label, value },
  text: { type: 'plain_text', text: label },
});
const MESSAGE = {
  ...{ channel: 'C0SECURITY', text: 'Incident' },
  blocks: [{ type: 'actions', elements: [button('Acknowledge', 'ack 1')] }],
};
const post = (more: JsonObject = {}): Promise<VendorAnswer> => method('chat.postMessage', { ...MESSAGE, ...more });
const error = ({ json }: VendorAnswer): unknown => Object(json).error;

describe('the Web API', () => {
  it('posts to a channel by id or name, changes the message and lists it with its metadata', async () => {
    const metadata = { event_type: 'notice', event_payload: { id: '1' } };
    const { json } = await post({ channel: '#security', metadata });
    const { ts, channel } = Object(json);
    expect(channel).toBe('C0SECURITY');
    await method('chat.update', { channel, ts, text: 'Over', blocks: [] });
    expect(slack.messages).toEqual([{ channel, ts, text: 'Over', blocks: [], metadata, edits: 1 }]);
    const history = await method('conversations.history', { channel, include_all_metadata: true });
    expect(Object(history.json).messages).toEqual([{ type: 'message', ts, text: 'Over', blocks: [], metadata }]);
  });

  it('refuses with 200 and the name of the error', async () => {
    const [security] = slack.channels;
    expect(error(await method('chat.postMessage', MESSAGE, 'xoxb-other'))).toBe('invalid_auth');
    expect(error(await post({ channel: 'C0NOWHERE' }))).toBe('channel_not_found');
    Object.assign(security ?? {}, { hasApp: false });
    expect(error(await post())).toBe('not_in_channel');
    Object.assign(security ?? {}, { hasApp: true, isArchived: true });
    expect(error(await post())).toBe('is_archived');
    expect(error(await method('chat.update', { ...MESSAGE, channel: 'security' }))).toBe('channel_not_found');
    slack.conditions.scopes.delete('chat:write');
    const { json } = await post();
    expect(json).toMatchObject({ ok: false, error: 'missing_scope', needed: 'chat:write' });
    slack.conditions.token = 'token_revoked';
    expect(error(await post())).toBe('token_revoked');
  });

  it.each([
    ['a text that is too long', [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } }]],
    ['a label that is too long', [{ type: 'actions', elements: [button('x'.repeat(76), 'v')] }]],
    ['a repeated action id', [{ type: 'actions', elements: [button('a', '1'), button('a', '2')] }]],
    ['an unknown block', [{ type: 'marquee' }]],
  ])('refuses blocks with %s', async (_name, blocks) => {
    expect(error(await post({ blocks: blocks as JsonObject[] }))).toBe('invalid_blocks');
    expect(slack.messages).toEqual([]);
  });

  it('answers 429 with the seconds to wait if a channel gets too many posts', async () => {
    slack.conditions.postsPerSecond = 1;
    slack.now = () => new Date(0);
    await post();
    const { status, headers } = await post();
    expect([status, headers?.['retry-after']]).toEqual([429, '1']);
  });

  it('may have posted a message although it answers with an internal error', async () => {
    Object.assign(slack.conditions, { failure: 'internal_error', failsAfterwards: true });
    expect(error(await post())).toBe('internal_error');
    expect(slack.messages).toHaveLength(1);
  });

  describeVendorFaults({
    platform: () => slack,
    create: () => post(),
    count: () => slack.messages.length,
    success: 200,
  });
});

describe('response_url', () => {
  const urlOf = ({ body }: SlackCall): string => {
    const { response_url } = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
    return response_url.replace('https://hooks.slack.com', slack.origin);
  };
  const pressed = async (): Promise<string> => {
    await post();
    const [message] = slack.messages;
    if (!message) throw new Error('there is no message');
    return urlOf(slack.press(message, 'Acknowledge', 'U0ADA'));
  };

  it('shows an answer to the person or changes the message, at most five times', async () => {
    const url = await pressed();
    await ask(platforms.egress, url, { json: { response_type: 'ephemeral', text: 'Yours alone' } });
    expect(slack.ephemerals).toEqual([{ account: 'U0ADA', text: 'Yours alone' }]);
    await ask(platforms.egress, url, { json: { replace_original: true, text: 'Over' } });
    expect(slack.messages).toMatchObject([{ text: 'Over', blocks: [], edits: 1 }]);
    for (let uses = 2; uses < 5; uses += 1) await ask(platforms.egress, url, { json: { text: 'more' } });
    const { status, json } = await ask(platforms.egress, url, { json: { text: 'too much' } });
    expect([status, json]).toEqual([404, { ok: false, error: 'used_url' }]);
  });

  it('expires after 30 minutes', async () => {
    const url = await pressed();
    slack.now = () => new Date(Date.now() + 31 * 60_000);
    expect(error(await ask(platforms.egress, url, { json: { text: 'late' } }))).toBe('expired_url');
  });
});
