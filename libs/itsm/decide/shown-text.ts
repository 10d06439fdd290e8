import type { JsonObject } from '#core';
import type { TicketRef } from '../adapter/create-outcome.js';
import { SecretFilter } from '../adapter/secret-filter.js';
import { cutText, oneLine } from '../adapter/ticket-text.js';

const MESSAGE_MAX = 2_000;
const ID_MAX = 255;
const URL_MAX = 2_048;

/**
 * Removes secrets from texts that are shown or stored. It is a last safeguard: secrets were already removed from
 * refusals.
 */
export class Redaction {
  private readonly filter: SecretFilter;
  private readonly refFilter: SecretFilter;

  /**
   * A value that also occurs in the settings, such as a URL or a project, stays visible in names and links of tickets.
   */
  constructor(secrets: JsonObject, settings: JsonObject = {}) {
    const shown = Object.values(settings).filter(value => typeof value === 'string');
    const isShown = (secret: unknown): boolean =>
      typeof secret === 'string' && shown.some(text => text.toLowerCase().includes(secret.toLowerCase()));
    this.filter = new SecretFilter(secrets);
    this.refFilter = new SecretFilter(
      Object.fromEntries(Object.entries(secrets).filter(([, secret]) => !isShown(secret))),
    );
  }

  /** A sentence in one line that may be shown and stored. */
  of(text: string): string {
    return cutText(oneLine(this.filter.hide(text)), MESSAGE_MAX, '…');
  }

  /** Sentences by field name, without secrets. */
  ofFields(fields: Readonly<Record<string, string>>): JsonObject {
    const entries = Object.entries(fields).slice(0, 50);
    return Object.fromEntries(entries.map(([name, text]) => [this.of(name), this.of(text)]));
  }

  /**
   * The reference of a ticket without secrets. A link that contains a secret is omitted, because the link would not
   * work without the secret.
   */
  ofRef({ externalTicketId, platformId, url }: TicketRef): TicketRef {
    return {
      externalTicketId: this.refFilter.hide(externalTicketId).slice(0, ID_MAX),
      ...(platformId === undefined || this.refFilter.finds(platformId) ? {} : { platformId }),
      ...(url === undefined || this.refFilter.finds(url) ? {} : { url }),
    };
  }
}

/** The ticket reference of an adapter, in the form in which it is stored. Undefined if it has no id. */
export function keptRef({ externalTicketId, platformId, url }: TicketRef): TicketRef | undefined {
  const name = nameOf(externalTicketId);
  if (name === undefined) return undefined;
  const link = url === undefined || url.length > URL_MAX ? null : URL.parse(url);
  const isLink = link?.protocol === 'https:' && link.username === '' && link.password === '';
  return {
    externalTicketId: name,
    // Requests use this id exactly. If it cannot be stored unchanged, it is left out.
    ...(platformId !== undefined && nameOf(platformId) === platformId ? { platformId } : {}),
    ...(isLink && link.href.length <= URL_MAX ? { url: link.href } : {}),
  };
}

/** The text in one line, without invisible characters. */
function nameOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const name = oneLine(text.replaceAll(/\p{Cf}/gu, ''));
  return name !== '' && name.length <= ID_MAX ? name : undefined;
}
