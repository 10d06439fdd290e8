import { createHmac, randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';
import { blockDefects } from './block-rules.js';
import { plainWorkspace, type SlackChannel, type SlackConditions } from './conditions.js';
import { ResponseUrls, type Ephemeral } from './response-urls.js';

/** A message in a channel. */
export interface SlackMessage {
  readonly channel: string;
  /** The id of the message in its channel. */
  readonly ts: string;
  text: string;
  blocks: Json[];
  metadata: Json | undefined;
  /** Number of changes of the message. */
  edits: number;
}

/** A request of Slack to the app: a form, and its headers. */
export interface SlackCall {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A Slack workspace with one app. */
export interface Slack extends PlatformEndpoint, FaultyPlatform {
  readonly teamId: string;
  readonly botToken: string;
  readonly signingSecret: string;
  readonly channels: SlackChannel[];
  readonly messages: SlackMessage[];
  /** Messages that only one person sees. */
  readonly ephemerals: readonly Ephemeral[];
  readonly conditions: SlackConditions;
  /** The clock of the workspace. Default: the machine's. */
  now: () => Date;
  /**
   * The request that Slack sends when somebody presses a button.
   *
   * @param label the text on the button
   */
  press(message: SlackMessage, label: string, account: string): SlackCall;
  /** A form with the headers that Slack adds. */
  sign(body: string): SlackCall;
}

/** Host names of Slack that the emulator serves. */
const SLACK_HOSTS = ['slack.com', 'hooks.slack.com'] as const;

/**
 * Emulates a workspace: the Web API (https://docs.slack.dev/reference/methods), `response_url`
 * (https://docs.slack.dev/interactivity/handling-user-interaction) and signed requests
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). Errors of methods are 200 with `ok: false`.
 */
export async function startSlack(options: Omit<EndpointOptions, 'behaviour'>): Promise<Slack> {
  const conditions = plainWorkspace();
  const messages: SlackMessage[] = [];
  const posts = new Map<string, number[]>();
  const channels: SlackChannel[] = [
    { id: 'C0SECURITY', name: 'security', isArchived: false, hasApp: true, isPrivate: false },
    { id: 'C0APPROVALS', name: 'approvals', isArchived: false, hasApp: true, isPrivate: false },
  ];
  const urls = new ResponseUrls(messages, () => slack.now());

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const { method, url, json, headers } = request;
    if (url.pathname.startsWith('/actions/')) return urls.use(url.pathname, asObject(json));
    const name = /^\/api\/([a-zA-Z.]+)$/.exec(url.pathname)?.[1] ?? '';
    const known = METHODS[name];
    if (!known || (method !== 'POST' && name !== 'conversations.history')) return failed('unknown_method');
    const given = method === 'GET' ? Object.fromEntries(url.searchParams) : asObject(json);
    if (!given) return failed('invalid_json');
    const refused = authDefect(headers['authorization']) ?? scopeDefect(name);
    if (refused) return refused;
    const { failure } = conditions;
    if (failure !== null && !conditions.failsAfterwards) return failed(failure);
    const done = known(given);
    return failure === null ? done : failed(failure);
  };

  const authDefect = (authorization: string | undefined): PlatformAnswer | undefined => {
    if (authorization === undefined) return failed('not_authed');
    if (authorization !== `Bearer ${slack.botToken}`) return failed('invalid_auth');
    return conditions.token === 'valid' ? undefined : failed(conditions.token);
  };

  const scopeDefect = (name: string): PlatformAnswer | undefined => {
    const needed = name === 'conversations.history' ? 'channels:history' : 'chat:write';
    if (conditions.scopes.has(needed)) return undefined;
    return {
      status: 200,
      json: { ok: false, error: 'missing_scope', needed, provided: [...conditions.scopes].join() },
    };
  };

  const channelOf = (given: Json | undefined): SlackChannel | PlatformAnswer => {
    const wanted = typeof given === 'string' ? given.replace(/^#/, '') : '';
    const found = channels.find(({ id, name }) => id === wanted || name === wanted);
    if (!found || (found.isPrivate && !found.hasApp)) return failed('channel_not_found');
    if (found.isArchived) return failed('is_archived');
    return found.hasApp || conditions.scopes.has('chat:write.public') ? found : failed('not_in_channel');
  };

  const isTooFast = (channel: string): boolean => {
    const now = slack.now().getTime();
    const recent = (posts.get(channel) ?? []).filter(at => at > now - 1_000);
    if (conditions.postsPerSecond !== null && recent.length >= conditions.postsPerSecond) return true;
    posts.set(channel, [...recent, now]);
    return false;
  };

  const METHODS: Readonly<Record<string, (given: JsonObject) => PlatformAnswer>> = {
    'chat.postMessage': given => {
      const channel = channelOf(given['channel']);
      if ('status' in channel) return channel;
      const defect = contentDefect(given);
      if (defect) return defect;
      if (isTooFast(channel.id)) return RATE_LIMITED;
      const ts = `${(slack.now().getTime() / 1_000).toFixed(0)}.${String(messages.length + 1).padStart(6, '0')}`;
      const message = { channel: channel.id, ts, ...contentOf(given), metadata: given['metadata'], edits: 0 };
      messages.push(message);
      return succeeded({ channel: channel.id, ts, message: { type: 'message', ts, text: message.text } });
    },
    'chat.update': given => {
      // An update must name its channel by id. A channel name is not found.
      const found = channels.find(({ id }) => id === given['channel']);
      if (!found) return failed('channel_not_found');
      if (found.isArchived) return failed('is_inactive');
      const message = messages.find(({ channel, ts }) => channel === found.id && ts === given['ts']);
      if (!message) return failed('message_not_found');
      const defect = contentDefect(given);
      if (defect) return defect;
      Object.assign(message, contentOf(given), { edits: message.edits + 1 });
      return succeeded({ channel: found.id, ts: message.ts, text: message.text });
    },
    'conversations.history': given => {
      const channel = channelOf(given['channel']);
      if ('status' in channel) return channel;
      const [oldest, latest] = [Number(given['oldest'] ?? 0), Number(given['latest'] ?? Infinity)];
      const isWithin = (ts: string): boolean => Number(ts) > oldest && Number(ts) < latest;
      const found = messages.filter(each => each.channel === channel.id && isWithin(each.ts)).toReversed();
      const hasMetadata = given['include_all_metadata'] === true || given['include_all_metadata'] === 'true';
      const limit = Math.min(Number(given['limit'] ?? 100), conditions.historyLimit);
      const shown = found.slice(0, limit).map(({ ts, text, blocks, metadata }): JsonObject => {
        const message = { type: 'message', ts, text, blocks };
        return hasMetadata && metadata !== undefined ? Object.assign(message, { metadata }) : message;
      });
      return succeeded({ messages: shown, has_more: found.length > shown.length });
    },
  };

  const platform = await startPlatform({ ...options, names: [...SLACK_HOSTS, ...(options.names ?? [])] }, perform);
  const slack: Slack = Object.assign(platform, {
    teamId: `T${randomBytes(5).toString('hex').toUpperCase()}`,
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
    signingSecret: randomBytes(16).toString('hex'),
    now: () => new Date(),
    ...{ channels, messages, conditions, ephemerals: urls.ephemerals },
    press: (message: SlackMessage, label: string, account: string) => press(slack, urls, message, label, account),
    sign: (body: string) => signed(slack, body),
    // A placeholder that `withFaults` replaces.
    fault: () => ({ end: () => undefined }),
  });
  return withFaults(slack, { throttled: RATE_LIMITED, failed: { ...failed('internal_error'), status: 500 } });
}

function press(slack: Slack, urls: ResponseUrls, message: SlackMessage, label: string, account: string): SlackCall {
  const { channel, ts, text, blocks } = message;
  const buttons = blocks.flatMap(block => {
    const elements = asObject(block)?.['elements'];
    const own = Array.isArray(elements) ? elements : [];
    return own.map((element): JsonObject => Object.assign({ block_id: 'b1' }, asObject(element)));
  });
  const button = buttons.find(each => asObject(each['text'])?.['text'] === label);
  if (!button) throw new Error(`The message has no button ${label}.`);
  const now = slack.now();
  const payload = {
    ...{ type: 'block_actions', team: { id: slack.teamId, domain: 'acme' }, api_app_id: 'A0APP', token: 'old' },
    user: { id: account, username: 'somebody', name: 'somebody', team_id: slack.teamId },
    ...{ container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false } },
    ...{ trigger_id: `${now.getTime()}.${randomBytes(6).toString('hex')}`, channel: { id: channel, name: 'security' } },
    message: { type: 'message', ts, text, blocks },
    response_url: urls.make(channel, ts, account),
    actions: [{ ...button, action_ts: `${now.getTime() / 1_000}` }],
  };
  return signed(slack, new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
}

/** `v0=` and the HMAC-SHA256 of `v0:<seconds>:<body>` in hexadecimal. */
function signed({ signingSecret, now }: Slack, body: string): SlackCall {
  const timestamp = String(Math.floor(now().getTime() / 1_000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    },
  };
}

function contentOf({ text = '', blocks = [] }: JsonObject): { text: string; blocks: Json[] } {
  return { text: typeof text === 'string' ? text : '', blocks: Array.isArray(blocks) ? blocks : [] };
}

function contentDefect({ text, blocks }: JsonObject): PlatformAnswer | undefined {
  const messages = blockDefects(blocks);
  if (messages.length > 0) {
    return { status: 200, json: { ok: false, error: 'invalid_blocks', response_metadata: { messages } } };
  }
  if ((text === undefined || text === '') && blocks === undefined) return failed('no_text');
  return undefined;
}

function succeeded(more: JsonObject): PlatformAnswer {
  return { status: 200, json: { ok: true, ...more } };
}

function failed(error: string): PlatformAnswer {
  return { status: 200, json: { ok: false, error } };
}

/** https://docs.slack.dev/apis/web-api/rate-limits: 429 with `Retry-After` in seconds. */
const RATE_LIMITED: PlatformAnswer = {
  status: 429,
  headers: { 'retry-after': '1' },
  json: { ok: false, error: 'ratelimited' },
};
