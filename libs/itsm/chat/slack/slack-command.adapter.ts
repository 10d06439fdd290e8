import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '#core';
import { asObject, asText } from '../../adapter/platform-answer.js';
import { ITSM_OPTIONS, type ItsmOptions } from '../../itsm.options.js';
import {
  ChatCommandAdapter,
  type ChatCommand,
  type ChatPress,
  type ChatRequest,
} from '../chat-command-adapter.port.js';
import { escaped } from './slack-blocks.js';
import { SlackNotifier } from './slack-notifier.js';
import { isSlackSignature } from './slack-signature.js';

/** Hosts of Slack and of GovSlack. */
const REPLY_HOSTS: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
const WORKSPACE = /^T[A-Z0-9]{1,30}$/;
const ACCOUNT = /^[UW][A-Z0-9]{1,30}$/;

/** Slash commands, buttons and notifications of Slack. */
@Injectable()
export class SlackCommandAdapter extends ChatCommandAdapter {
  readonly kind = 'slack';
  readonly title = 'Slack';
  override readonly notifier: SlackNotifier;

  constructor(@Inject(ITSM_OPTIONS) { slackApiOrigin }: Pick<ItsmOptions, 'slackApiOrigin'> = {}) {
    super();
    this.notifier = new SlackNotifier(slackApiOrigin);
  }

  isWorkspace(text: string): boolean {
    return WORKSPACE.test(text);
  }

  isAccount(text: string): boolean {
    return ACCOUNT.test(text);
  }

  read({ headers, body }: ChatRequest): ChatCommand | null {
    const form = new URLSearchParams(body.toString('utf8'));
    const field = (name: string): string => form.get(name) ?? '';
    const [workspace, account, name] = [field('team_id'), field('user_id'), field('command')];
    if (!this.isWorkspace(workspace) || !this.isAccount(account) || name === '') return null;
    const [text, replyUrl] = [field('text'), field('response_url')];
    const requestId = field('trigger_id') || (onlyOne(headers['x-slack-signature']) ?? '');
    return { workspace, account, name, text, requestId, replyUrl };
  }

  override readPress({ headers, body }: ChatRequest): ChatPress | null {
    const payload = payloadOf(body);
    const actions = payload?.['actions'];
    if (payload?.['type'] !== 'block_actions' || !Array.isArray(actions)) return null;
    const workspace = idIn(payload['team']);
    const account = idIn(payload['user']);
    if (!this.isWorkspace(workspace) || !this.isAccount(account)) return null;
    const text = asText(asObject(actions[0])?.['value']) ?? '';
    const requestId = asText(payload['trigger_id']) ?? onlyOne(headers['x-slack-signature']) ?? '';
    return { workspace, account, text, requestId, replyUrl: asText(payload['response_url']) ?? '' };
  }

  /** Slack sometimes sends an empty request to check the TLS certificate. */
  isProbe({ body }: ChatRequest): boolean {
    return new URLSearchParams(body.toString('utf8')).get('ssl_check') === '1';
  }

  isAuthentic({ headers, body }: ChatRequest, secret: string, now: Date): boolean {
    const signature = onlyOne(headers['x-slack-signature']);
    const timestamp = onlyOne(headers['x-slack-request-timestamp']);
    return isSlackSignature({ signature, timestamp, body }, secret, now);
  }

  isReplyUrl(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { protocol, host, username, password } = new URL(url);
    return protocol === 'https:' && REPLY_HOSTS.has(host) && username === '' && password === '';
  }

  reply(text: string): JsonObject {
    // The answer to a pressed button must not replace the message.
    return { response_type: 'ephemeral', replace_original: false, text: escaped(text) };
  }
}

function onlyOne(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** The JSON in the form field `payload`. */
function payloadOf(body: Buffer): JsonObject | undefined {
  try {
    return asObject(JSON.parse(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''));
  } catch {
    return undefined;
  }
}

function idIn(value: unknown): string {
  return asText(asObject(value)?.['id']) ?? '';
}
