import type { JsonObject } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';

const MESSAGE_MAX = 2_000;
const ID_MAX = 255;
const URL_MAX = 2_048;
/** What is shorter says nothing, and would be found in every sentence. */
const SECRET_MIN = 4;
const HIDDEN = '[hidden]';

/** Takes secrets out of what is shown, in every spelling in which requests carry them. */
export class Redaction {
  private readonly spellings: readonly string[];

  constructor(secrets: JsonObject) {
    const values = Object.values(secrets).filter(value => typeof value === 'string');
    const pairs = values.flatMap(first => values.map(second => `${first}:${second}`));
    const encoded = [...values, ...pairs].flatMap(text => {
      const base64 = Buffer.from(text, 'utf8').toString('base64');
      return [base64, base64.replace(/=+$/, ''), encodeURIComponent(text.toWellFormed())];
    });
    this.spellings = [...new Set([...values, ...encoded])]
      .filter(text => text.length >= SECRET_MIN)
      .sort((a, b) => b.length - a.length);
  }

  /** A sentence that may be shown and kept. */
  of(text: string): string {
    const hidden = this.spellings.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
    const kept = hidden.replaceAll('\0', '').toWellFormed();
    return kept.length > MESSAGE_MAX ? `${kept.slice(0, MESSAGE_MAX - 1).toWellFormed()}…` : kept;
  }

  /** Sentences by name. */
  ofFields(fields: Readonly<Record<string, string>>): JsonObject {
    const entries = Object.entries(fields).slice(0, 50);
    return Object.fromEntries(entries.map(([name, text]) => [this.of(name), this.of(text)]));
  }
}

/** What an adapter says of a ticket, as it may be kept; undefined where it names none. */
export function keptRef({ externalTicketId, platformId, url }: TicketRef): TicketRef | undefined {
  if (!isName(externalTicketId)) return undefined;
  const isUrl = url !== undefined && url.length <= URL_MAX && URL.parse(url)?.protocol === 'https:';
  return {
    externalTicketId,
    ...(platformId !== undefined && isName(platformId) ? { platformId } : {}),
    ...(isUrl ? { url } : {}),
  };
}

function isName(text: unknown): text is string {
  return (
    typeof text === 'string' && text !== '' && text.length <= ID_MAX && !text.includes('\0') && text.isWellFormed()
  );
}
