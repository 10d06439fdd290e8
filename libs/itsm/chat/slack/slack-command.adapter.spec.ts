import { describe, expect, it } from '@jest/globals';
import type { Clock } from '#core';
import { AdapterHttp, type AdapterRequest, type AdapterResponse } from '../../adapter/adapter-http.js';
import { SlackCommandAdapter } from './slack-command.adapter.js';
import { isSlackSignature, slackSignature } from './slack-signature.js';

const adapter = new SlackCommandAdapter();
const NOW = new Date('2026-11-20T12:00:00Z');
const SECONDS = String(NOW.getTime() / 1000);
const BODY = Buffer.from('team_id=T1&user_id=U1&command=%2Fx&text=list');
const shifted = (by: number): string => String(Number(SECONDS) + by);

describe('a signature of Slack', () => {
  // The example on Slack's page about signed requests.
  it('equals the documented example', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&' +
      'channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&' +
      'response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&' +
      'trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    expect(slackSignature('8f742231b10e8888abcd99yyyzzz85a5', '1531420618', Buffer.from(body))).toBe(
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
  });

  it.each([0, 300, -300])('is valid for a time that is %d seconds off', by => {
    const signature = slackSignature('secret', shifted(by), BODY);
    expect(isSlackSignature({ signature, timestamp: shifted(by), body: BODY }, 'secret', NOW)).toBe(true);
  });

  it.each([301, -301])('is invalid for a time that is %d seconds off', by => {
    const signature = slackSignature('secret', shifted(by), BODY);
    expect(isSlackSignature({ signature, timestamp: shifted(by), body: BODY }, 'secret', NOW)).toBe(false);
  });

  it('is invalid for another body, secret, time, version or format', () => {
    const signature = slackSignature('secret', SECONDS, BODY);
    const given = { signature, timestamp: SECONDS, body: BODY };
    expect(isSlackSignature(given, 'secret', NOW)).toBe(true);
    for (const wrong of [
      { body: Buffer.from(`${BODY.toString()}&`) },
      { timestamp: shifted(1) },
      { timestamp: `${SECONDS}.0` },
      { timestamp: ` ${SECONDS}` },
      { timestamp: undefined },
      { signature: signature.replace('v0', 'v1') },
      { signature: signature.toUpperCase() },
      { signature: signature.slice(0, -1) },
      { signature: `${signature}0` },
      { signature: '' },
      { signature: undefined },
    ]) {
      expect(isSlackSignature({ ...given, ...wrong }, 'secret', NOW)).toBe(false);
    }
    expect(isSlackSignature(given, 'Secret', NOW)).toBe(false);
  });
});

describe('the adapter of Slack', () => {
  it('reads ids and never names', () => {
    const form = 'team_id=T1&user_id=U1&user_name=admin&command=%2Fx&text=a+b&trigger_id=t&response_url=u';
    expect(adapter.read({ headers: {}, body: Buffer.from(form) })).toEqual({
      ...{ workspace: 'T1', account: 'U1', name: '/x', text: 'a b', requestId: 't', replyUrl: 'u' },
    });
    const unnamed = Buffer.from(form.replace('trigger_id=t&', ''));
    expect(adapter.read({ headers: { 'x-slack-signature': 'v0=1' }, body: unnamed })).toMatchObject({
      requestId: 'v0=1',
    });
    for (const broken of ['', 'team_id=T1', 'team_id=x&user_id=U1&command=c', 'team_id=T1&user_id=bo&command=c']) {
      expect(adapter.read({ headers: {}, body: Buffer.from(broken) })).toBeNull();
    }
  });

  it.each([
    ['https://hooks.slack.com/commands/1', true],
    ['https://hooks.slack-gov.com/commands/1', true],
    ['https://hooks.slack-gov.com.evil.example/', false],
    ['http://hooks.slack.com/commands/1', false],
    ['https://hooks.slack.com:8443/commands/1', false],
    ['https://hooks.slack.com.evil.example/', false],
    ['https://evil.example/hooks.slack.com', false],
    ['https://user@hooks.slack.com/', false],
    ['https://hooks.slack.com@evil.example/', false],
    ['//hooks.slack.com/', false],
    ['', false],
  ])('may answer later to %s: %s', (url, may) => expect(adapter.isReplyUrl(url)).toBe(may));

  it.each([
    [undefined, 'https://slack.com'],
    ['https://slack-gov.com/', 'https://slack-gov.com'],
  ])('sends notifications to the Web API that the option %s names', async (slackApiOrigin, origin) => {
    const { notifier } = new SlackCommandAdapter(slackApiOrigin === undefined ? {} : { slackApiOrigin });
    const urls: string[] = [];
    class Recorder extends AdapterHttp {
      override async request({ url }: AdapterRequest): Promise<AdapterResponse> {
        urls.push(url);
        const json = { ok: true, channel: 'C1', ts: '1.2' };
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(json)), json: () => json };
      }
    }
    const clock = { now: () => NOW } satisfies Clock;
    const target = { http: new Recorder(), secret: 'xoxb-0123456789-example', channel: 'C1', clock };
    const notice = { title: 't', state: 's', facts: [], link: null, buttons: [] };
    expect(await notifier.post(target, notice, 'k')).toMatchObject({ kind: 'sent' });
    await notifier.update(target, 'C1/1.2', notice);
    await notifier.find(target, 'k', NOW);
    expect(notifier.origins()).toEqual([origin]);
    const methods = ['chat.postMessage', 'chat.update', 'conversations.history'];
    expect(urls).toEqual(methods.map(method => `${origin}/api/${method}`));
  });

  it('escapes markup and mentions of Slack, once', () => {
    expect(adapter.reply('<!channel> & <https://evil.example|here> &lt;')).toEqual({
      response_type: 'ephemeral',
      replace_original: false,
      text: '&lt;!channel&gt; &amp; &lt;https://evil.example|here&gt; &amp;lt;',
    });
  });
});
