import { isStorableText, type FieldError } from '#core';
import { SUBSCRIBABLE_EVENT_TYPES, isEventType, type EventType } from '#outbox';

/** Maximum length of a URL, in characters. */
export const WEBHOOK_URL_MAX = 2048;

/** Maximum length of a description, in Unicode code points. */
export const WEBHOOK_DESCRIPTION_MAX = 1000;

/** Maximum number of entries in `events`, including duplicates. */
export const WEBHOOK_EVENTS_MAX = 100;

/**
 * The editable fields of a webhook. A missing field keeps its value, or gets its default when the webhook is
 * registered.
 */
export interface WebhookDraft {
  /**
   * An `https:` URL without user name and password. Its host must be public, or allowed by the operator. It is stored in
   * normal form: host names in lower-case ASCII, other characters as `%C3%A9`.
   */
  url: string;
  /**
   * Event types to subscribe to. Null or an empty list means all types, including types that later versions add. Only
   * `audit_anchor` must be named. Default: null.
   */
  events?: readonly EventType[] | null;
  /** Free text; null for none. Default: null. */
  description?: string | null;
  /** Whether deliveries are sent. If false, they wait. Default: true. */
  enabled?: boolean;
}

/** The fault of a URL, without a DNS query for its host; undefined if there is none. */
export function urlFault(url: unknown): string | undefined {
  if (typeof url !== 'string') return 'must be a text';
  if (url.length > WEBHOOK_URL_MAX) return `must be at most ${WEBHOOK_URL_MAX} characters`;
  if (/\s/.test(url) || !isStorableText(url)) return 'must not contain white space, NUL or half of a surrogate pair';
  if (!URL.canParse(url)) return 'must be a URL, such as https://hooks.example.com/governance';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'https:') return 'must begin with https://';
  return username === '' && password === '' ? undefined : 'must not contain a user name or password';
}

/** The fault of a description; undefined if there is none. */
export function descriptionFault(description: unknown): string | undefined {
  if (description === null) return undefined;
  if (typeof description !== 'string') return 'must be a text or null';
  if (!isStorableText(description)) return 'must not contain NUL or half of a surrogate pair';
  const codePoints = description.length - (description.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
  return codePoints > WEBHOOK_DESCRIPTION_MAX ? `must be at most ${WEBHOOK_DESCRIPTION_MAX} characters` : undefined;
}

/** The faults of `events`, one per invalid entry. */
export function eventsFaults(events: unknown): FieldError[] {
  if (events === undefined || events === null) return [];
  if (!Array.isArray(events)) return [{ field: 'events', message: 'must be a list of event types, or null for all' }];
  if (events.length > WEBHOOK_EVENTS_MAX) {
    return [{ field: 'events', message: `must have at most ${WEBHOOK_EVENTS_MAX} entries` }];
  }
  const message = `must be one of: ${SUBSCRIBABLE_EVENT_TYPES.join(', ')}`;
  return events.flatMap((type, at) => (isEventType(type) ? [] : [{ field: `events[${at}]`, message }]));
}

/** All faults of the supplied fields. Calls that do not come through the HTTP routes need this check. */
export function draftFaults(draft: Partial<WebhookDraft>): FieldError[] {
  const faults: FieldError[] = [];
  const check = (field: keyof WebhookDraft, message: string | undefined) => {
    if (draft[field] !== undefined && message !== undefined) faults.push({ field, message });
  };
  check('url', urlFault(draft.url));
  check('description', descriptionFault(draft.description));
  check('enabled', typeof draft.enabled === 'boolean' ? undefined : 'must be true or false');
  return [...faults, ...eventsFaults(draft.events)];
}
