import type { Json, JsonObject } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import { asObject, asText, objectIn, retryAfterMs } from '../../adapter/platform-answer.js';
import type { ChatNotice, ChatNotifier, ChatOutcome, ChatTarget } from '../chat-notifier.port.js';
import { slackMessage } from './slack-blocks.js';
import { slackError } from './slack-errors.js';

/** Origin of Slack's Web API. GovSlack has an origin of its own. */
const API = 'https://slack.com';
const BOT_TOKEN = /^xoxb-[A-Za-z0-9_-]{10,250}$/;
const CHANNEL = /^[CG][A-Z0-9]{5,30}$/;
/** Event type in the message metadata, which identifies notifications of this service. */
const EVENT_TYPE = 'governance_notification';
/** Messages per page. Slack limits pages to 15 messages for some apps. */
const PAGE = 200;
/**
 * Maximum number of pages that are searched. In an attempt, the time is not enough for more calls in addition to the
 * post.
 */
const PAGES_MAX = 2;
/** Maximum difference between Slack's clock and this machine's clock. */
const SKEW_SECONDS = 60;

/** Posts, changes and finds messages with Slack's Web API. */
export class SlackNotifier implements ChatNotifier {
  readonly secretTitle = 'bot token';
  private readonly api: string;

  /** @param origin the origin of the Web API */
  constructor(origin = API) {
    this.api = new URL(origin).origin;
  }

  secretFault(secret: string): string | undefined {
    return BOT_TOKEN.test(secret) ? undefined : 'must be the Bot User OAuth Token of the app, which begins with xoxb-';
  }

  channelFault(channel: string | undefined): string | undefined {
    if (channel === undefined) return 'is required for Slack: the id of the channel, such as C024BE91L';
    return CHANNEL.test(channel) ? undefined : 'must be the id of a channel, such as C024BE91L, not its name';
  }

  origins(): readonly string[] {
    return [this.api];
  }

  async post(target: ChatTarget, notice: ChatNotice, key: string): Promise<ChatOutcome> {
    const metadata = { event_type: EVENT_TYPE, event_payload: { id: key } };
    const content = { ...slackMessage(notice), unfurl_links: false, unfurl_media: false, metadata };
    const answer = await this.call(target, 'chat.postMessage', { channel: target.channel, ...content });
    return outcomeOf(target, answer);
  }

  async update(target: ChatTarget, ref: string, notice: ChatNotice): Promise<ChatOutcome> {
    const [channel = '', ts = ''] = ref.split('/');
    return outcomeOf(target, await this.call(target, 'chat.update', { channel, ts, ...slackMessage(notice) }));
  }

  /** Finds a message. The token needs the scope `channels:history`, or `groups:history` for private channels. */
  async find(target: ChatTarget, key: string, since: Date): Promise<string | null> {
    const { channel } = target;
    const oldest = String(Math.floor(since.getTime() / 1_000) - SKEW_SECONDS);
    let latest: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const search = { channel, oldest, ...(latest !== undefined && { latest }), limit: PAGE };
      const body = objectIn(
        await this.call(target, 'conversations.history', { ...search, include_all_metadata: true }),
      );
      // Slack lists the newest message first.
      const messages = Array.isArray(body?.['messages']) ? body['messages'].map(asObject) : [];
      const ts = asText(messages.find(message => keyOf(message) === key)?.['ts']);
      if (ts !== undefined) return `${channel}/${ts}`;
      latest = asText(messages.at(-1)?.['ts']);
      if (latest === undefined || body?.['has_more'] !== true) return null;
    }
    return null;
  }

  private call({ http, secret }: ChatTarget, method: string, json: JsonObject): Promise<AdapterResponse> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json; charset=utf-8' };
    return http.request({ method: 'POST', url: `${this.api}/api/${method}`, headers, json });
  }
}

/** If Slack refuses a call, it answers with status 200, `ok: false` and an error code. */
function outcomeOf({ channel, clock }: ChatTarget, response: AdapterResponse): ChatOutcome {
  const body = objectIn(response);
  if (response.status === 429) {
    const afterMs = retryAfterMs(response, clock);
    const message = 'Slack limits the rate of messages (429).';
    return { kind: 'retry', message, ...(afterMs !== undefined && { afterMs }) };
  }
  if (body?.['ok'] === true) {
    const ts = asText(body['ts']);
    return { kind: 'sent', ref: ts === undefined ? null : `${asText(body['channel']) ?? channel}/${ts}` };
  }
  const code = asText(body?.['error']);
  if (code === undefined || response.status >= 500) {
    return { kind: 'doubt', message: `Slack answered ${response.status} without a result.` };
  }
  return slackError(code, asText(body?.['needed']));
}

function keyOf(message: JsonObject | undefined): Json | undefined {
  const metadata = asObject(message?.['metadata']);
  return metadata?.['event_type'] === EVENT_TYPE ? asObject(metadata['event_payload'])?.['id'] : undefined;
}
