import type { JsonObject } from '#core';
import type { TicketRef } from '../adapter/create-outcome.js';
import { SecretFilter } from '../adapter/secret-filter.js';
import { cutText, oneLine } from '../adapter/ticket-text.js';

const MESSAGE_MAX = 2_000;
const ID_MAX = 255;
const URL_MAX = 2_048;

/** Takes secrets out of what is shown and kept: the last line, behind the way on which refusals lose them. */
export class Redaction {
  private readonly filter: SecretFilter;
  private readonly refFilter: SecretFilter;

  /** What the settings show anyway, an address or a project, is hidden in no name and no link of a ticket. */
  constructor(secrets: JsonObject, settings: JsonObject = {}) {
    const shown = Object.values(settings).filter(value => typeof value === 'string');
    const isShown = (secret: unknown): boolean =>
      typeof secret === 'string' && shown.some(text => text.toLowerCase().includes(secret.toLowerCase()));
    this.filter = new SecretFilter(secrets);
    this.refFilter = new SecretFilter(
      Object.fromEntries(Object.entries(secrets).filter(([, secret]) => !isShown(secret))),
    );
  }

  /** A sentence that may be shown and kept, on one line. */
  of(text: string): string {
    return cutText(oneLine(this.filter.hide(text)), MESSAGE_MAX, '…');
  }

  /** Sentences by name. */
  ofFields(fields: Readonly<Record<string, string>>): JsonObject {
    const entries = Object.entries(fields).slice(0, 50);
    return Object.fromEntries(entries.map(([name, text]) => [this.of(name), this.of(text)]));
  }

  /** What a ticket is called. A link that holds a secret leads nowhere without it, and is left out. */
  ofRef({ externalTicketId, platformId, url }: TicketRef): TicketRef {
    return {
      externalTicketId: this.refFilter.hide(externalTicketId).slice(0, ID_MAX),
      ...(platformId === undefined || this.refFilter.finds(platformId) ? {} : { platformId }),
      ...(url === undefined || this.refFilter.finds(url) ? {} : { url }),
    };
  }
}

/** What an adapter says of a ticket, as it may be kept; undefined where it names none. */
export function keptRef({ externalTicketId, platformId, url }: TicketRef): TicketRef | undefined {
  const name = nameOf(externalTicketId);
  if (name === undefined) return undefined;
  const link = url === undefined || url.length > URL_MAX ? null : URL.parse(url);
  const isLink = link?.protocol === 'https:' && link.username === '' && link.password === '';
  return {
    externalTicketId: name,
    // It is asked by this name: one that is not kept as it is, is none.
    ...(platformId !== undefined && nameOf(platformId) === platformId ? { platformId } : {}),
    ...(isLink && link.href.length <= URL_MAX ? { url: link.href } : {}),
  };
}

/** On one line, without characters that cannot be seen. */
function nameOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const name = oneLine(text.replaceAll(/\p{Cf}/gu, ''));
  return name !== '' && name.length <= ID_MAX ? name : undefined;
}
