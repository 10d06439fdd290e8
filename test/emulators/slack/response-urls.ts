import { randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { SlackMessage } from './workspace.js';

/** A message that only one person sees. */
export interface Ephemeral {
  readonly account: string;
  readonly text: string;
}

interface Issued {
  readonly channel: string;
  readonly ts: string;
  readonly account: string;
  readonly at: number;
  uses: number;
}

/** The limits of a response URL: "You can respond within 30 minutes, up to 5 times." */
const USES_MAX = 5;
const LIFE_MS = 30 * 60_000;

/** The response URLs of interactions (https://docs.slack.dev/interactivity/handling-user-interaction). */
export class ResponseUrls {
  readonly ephemerals: Ephemeral[] = [];
  private readonly issued = new Map<string, Issued>();

  constructor(
    private readonly messages: SlackMessage[],
    private readonly now: () => Date,
  ) {}

  make(channel: string, ts: string, account: string): string {
    const path = `/actions/T0/${randomBytes(6).toString('hex')}/${randomBytes(12).toString('hex')}`;
    this.issued.set(path, { channel, ts, account, at: this.now().getTime(), uses: 0 });
    return `https://hooks.slack.com${path}`;
  }

  use(path: string, body: JsonObject | undefined): PlatformAnswer {
    const url = this.issued.get(path);
    if (!url) return refused('invalid_url');
    if (this.now().getTime() - url.at > LIFE_MS) return refused('expired_url');
    if (url.uses >= USES_MAX) return refused('used_url');
    if (!body) return { status: 400, json: { ok: false, error: 'invalid_payload' } };
    url.uses += 1;
    const { text, blocks, replace_original: replaces, delete_original: deletes } = body;
    const at = this.messages.findIndex(({ channel, ts }) => channel === url.channel && ts === url.ts);
    const message = this.messages[at];
    if (deletes === true && message) this.messages.splice(at, 1);
    else if (replaces === true && message) Object.assign(message, changed(message, text, blocks));
    else if (typeof text !== 'string') return { status: 400, json: { ok: false, error: 'no_text' } };
    else if (body['response_type'] === 'in_channel') this.post(url, text, blocks);
    else this.ephemerals.push({ account: url.account, text });
    return { status: 200, text: 'ok' };
  }

  private post({ channel, ts }: Issued, text: string, blocks: Json | undefined): void {
    const shown = Array.isArray(blocks) ? blocks : [];
    const own = `${ts}${this.messages.length}`;
    this.messages.push({ channel, ts: own, text, blocks: shown, metadata: undefined, edits: 0 });
  }
}

function changed({ edits }: SlackMessage, text: Json | undefined, blocks: Json | undefined): Partial<SlackMessage> {
  return {
    edits: edits + 1,
    ...(typeof text === 'string' && { text }),
    blocks: Array.isArray(blocks) ? blocks : [],
  };
}

function refused(error: string): PlatformAnswer {
  return { status: 404, json: { ok: false, error } };
}
