import { Injectable } from '@nestjs/common';
import { Clock, messageOf } from '#core';
import { EgressClient } from '#egress';
import { AdapterHttpError } from '../../adapter/adapter-http.js';
import { SecretFilter } from '../../adapter/secret-filter.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { ChatAdapters } from '../chat-adapters.js';
import type { ChatNotice, ChatNotifier, ChatOutcome, ChatTarget } from '../chat-notifier.port.js';
import type { OwedNotice } from './notice-rows.js';

/** Timeout of a call, in milliseconds. An attempt makes at most three calls. */
export const NOTICE_CALL_MS = 8_000;

/** Sends notifications through the notifiers of their platforms. */
@Injectable()
export class NoticeSender {
  constructor(
    private readonly adapters: ChatAdapters,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  /** Posts or updates a message. @param isDoubtful whether an earlier attempt may have posted it */
  async send(notice: OwedNotice, content: ChatNotice, isDoubtful: boolean): Promise<ChatOutcome> {
    const notifier = this.adapters.find(notice.platform)?.notifier;
    if (!notifier) return refused('This installation sends no notifications to the platform of the workspace.');
    const { secret, channel } = notice;
    if (secret === undefined) return refused(`The workspace has no ${notifier.secretTitle}; set notification_secret.`);
    if (typeof secret !== 'string') return refused(`The ${notifier.secretTitle} cannot be read: enter it again.`);
    const http = new EgressAdapterHttp(this.egress, notifier.origins(secret), NOTICE_CALL_MS, 'chat');
    const target = { http, secret, channel, clock: this.clock };
    const outcome = await attempt(() => perform(notifier, target, notice, content, isDoubtful));
    return 'message' in outcome ? { ...outcome, message: new SecretFilter({ secret }).hide(outcome.message) } : outcome;
  }
}

async function perform(
  notifier: ChatNotifier,
  target: ChatTarget,
  { id, ref, isSent, createdMs }: OwedNotice,
  content: ChatNotice,
  isDoubtful: boolean,
): Promise<ChatOutcome> {
  if (isSent) {
    if (ref === null || !notifier.update) return { kind: 'sent', ref };
    const outcome = await notifier.update(target, ref, content);
    return outcome.kind === 'sent' ? { kind: 'sent', ref } : outcome;
  }
  const found = isDoubtful ? await findEarlier(notifier, target, id, new Date(createdMs)) : null;
  if (found === null) return notifier.post(target, content, id);
  // A message that was found is updated, because it may show an outdated state.
  const outcome = (await notifier.update?.(target, found, content)) ?? { kind: 'sent', ref: found };
  return outcome.kind === 'sent' ? { kind: 'sent', ref: found } : outcome;
}

/** Returns null also if the platform does not answer, because a duplicate notification is better than a lost one. */
async function findEarlier(
  notifier: ChatNotifier,
  target: ChatTarget,
  key: string,
  since: Date,
): Promise<string | null> {
  try {
    return (await notifier.find?.(target, key, since)) ?? null;
  } catch {
    return null;
  }
}

async function attempt(call: () => Promise<ChatOutcome>): Promise<ChatOutcome> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AdapterHttpError)) throw error;
    return { kind: error.phase === 'sent' ? 'doubt' : 'retry', message: messageOf(error) };
  }
}

function refused(message: string): ChatOutcome {
  return { kind: 'refused', message };
}
