import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { EgressClient } from '#egress';
import { ITSM_OPTIONS, type ItsmOptions } from '../../itsm.options.js';
import { ChatAdapters } from '../chat-adapters.js';
import type { ChatCommandAdapter } from '../chat-command-adapter.port.js';
import type { OwedCommand } from './chat-command-rows.js';

const SEND_MS = 5_000;
/**
 * Time after which no reply to a command is sent. It is 5 minutes less than the 30 minutes for which Slack accepts
 * replies.
 */
const MAX_AGE_MS = 25 * 60_000;

/** Sends answers to the URL that the platform has given for them. */
@Injectable()
export class ChatReplies {
  /**
   * Milliseconds within which a request must be answered. Slack's limit is three seconds, including network latency.
   */
  readonly answerMs: number = 2_000;
  /** Maximum number of milliseconds for which an answer waits until it is stored that the command was answered. */
  readonly noteMs: number = 500;
  private readonly origins: ReadonlySet<string> | undefined;

  constructor(
    private readonly adapters: ChatAdapters,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    @Inject(ITSM_OPTIONS) { chatReplyOrigins }: ItsmOptions,
  ) {
    this.origins = chatReplyOrigins && new Set(chatReplyOrigins.map(url => new URL(url).origin));
  }

  /** The current time. */
  now(): Date {
    return this.clock.now();
  }

  /**
   * Whether replies may be sent to the URL. Its origin must be one of the option, or without the option one of the
   * platform.
   */
  mayReply(adapter: ChatCommandAdapter, url: string): boolean {
    if (!this.origins) return adapter.isReplyUrl(url);
    const target = URL.parse(url);
    if (target === null || target.username !== '' || target.password !== '') return false;
    return target.protocol === 'https:' && this.origins.has(target.origin);
  }

  /** Whether the answer URL has expired. */
  isTooLate({ createdMs }: OwedCommand): boolean {
    return this.clock.now().getTime() - createdMs > MAX_AGE_MS;
  }

  /** Sends an answer. Returns true if it need not be sent again. */
  async send({ platform, replyUrl }: OwedCommand, text: string): Promise<boolean> {
    const adapter = this.adapters.find(platform);
    if (!adapter || !this.mayReply(adapter, replyUrl)) return true;
    const { status = 0 } = await this.egress.send({
      purpose: 'chat',
      url: replyUrl,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(adapter.reply(text))),
      timeoutMs: SEND_MS,
      maxBodyBytes: 1_024,
    });
    // A refusal is final: the URL has expired or was used too often.
    return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
  }
}
