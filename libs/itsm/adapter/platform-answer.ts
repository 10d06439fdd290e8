import type { Clock, Json, JsonObject } from '#core';
import type { AdapterResponse } from './adapter-http.js';
import type { CreateFailure, RejectionCode } from './create-outcome.js';
import { cutText, oneLine } from './ticket-text.js';

/** Maximum length of a quoted message of the platform. */
const MAX_QUOTE = 500;

/** The state of the platform that an answer reveals, independent of the request. */
export interface PlatformTrouble {
  /** Why it refuses. After `auth` and `hibernating`, the connector is paused. */
  readonly code?: RejectionCode;
  /** Pause in milliseconds that the platform asks for. */
  readonly retryAfterMs?: number;
}

/** The platform's answer does not contain the requested data. The message is a sentence for the operator. */
export class PlatformAnswerError extends Error {
  constructor(
    message: string,
    readonly platform: PlatformTrouble = {},
  ) {
    super(message);
    this.name = 'PlatformAnswerError';
  }
}

/** The JSON object in an answer; undefined if there is none. */
export function objectIn(response: AdapterResponse): JsonObject | undefined {
  return asObject(response.json());
}

/** The value if it is an object and not an array; otherwise undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  // The value was parsed from JSON, so an object is a JsonObject.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value if it is a non-empty string; otherwise undefined. */
export function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id as a text: a text that is not empty, or a whole number; otherwise undefined. */
export function asId(value: Json | undefined): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : asText(value);
}

/** The value if it is an `https:` address; otherwise undefined. */
export function asPage(value: Json | undefined): string | undefined {
  const text = asText(value);
  return text?.startsWith('https://') ? text : undefined;
}

/**
 * A moment as platforms write it: milliseconds since 1970, or a text such as `2026-11-20T10:15:00Z`,
 * `2026-11-20T10:15:00+0000` or `2026-11-20 10:15:00`, which is in UTC; undefined if it is something else.
 */
export function asMoment(value: Json | undefined): Date | undefined {
  const text = asText(value)?.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const moment = new Date(
    typeof value === 'number' ? value : (text?.replace(/^([\d-]{10}) ([\d:]{8})$/, '$1T$2Z') ?? NaN),
  );
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** A message of the platform, shortened to one line. */
export function quoted(text: string): string {
  return cutText(oneLine(text), MAX_QUOTE, '…');
}

/**
 * How long `Retry-After` (seconds, or a date) asks to wait, in milliseconds; without it, until the moment in
 * `ratelimit-reset` if `ratelimit-remaining` is 0. Undefined if both are missing or invalid, or if it is a moment and no
 * clock was given.
 */
export function retryAfterMs(response: AdapterResponse, clock?: Clock): number | undefined {
  const said = response.headers['retry-after']?.trim();
  if (said === undefined || said === '') {
    const { 'ratelimit-remaining': remaining, 'ratelimit-reset': reset = '' } = response.headers;
    // Seconds since 1970. Fewer digits are another platform's seconds from now.
    if (remaining !== '0' || !/^\d{10,12}$/.test(reset) || !clock) return undefined;
    return Math.max(0, Number(reset) * 1000 - clock.now().getTime());
  }
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(at) || !clock ? undefined : Math.max(0, at - clock.now().getTime());
}

/** A login page or a hibernating instance answers with HTML. A body that is neither HTML nor JSON was cut off. */
const BROKEN = 'The platform’s answer is neither JSON nor HTML; it was probably cut off.';

const NO_ROOM = 'The platform limits the request rate (429).';

/** What is wrong with fields, from an object of texts, or of lists of texts, by their names. */
export function fieldTexts(value: Json | undefined): Record<string, string> {
  const all = Object.entries(asObject(value) ?? {}).map(([name, texts]) => {
    const said = (Array.isArray(texts) ? texts : [texts]).flatMap(each => asText(each) ?? []).join(', ');
    return [quoted(name), quoted(said || 'is not accepted')] as const;
  });
  return Object.fromEntries(all);
}

/** What a platform says about a refusal. */
export interface Reason {
  /** Its own words. Default: those about the fields. */
  readonly said?: string | undefined;
  /** What is wrong with fields, by the platform's names of them. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What the refusal means, if its status says something else. */
  readonly code?: RejectionCode;
  /** A sentence for the operator, in place of one that is made from the status and the words. */
  readonly message?: string;
}

/** Statuses by which platforms refuse fields. */
const OF_FIELDS = new Set([400, 403, 413, 422]);

/**
 * Maps an unsuccessful answer to a create request, for all platforms. 429 can be retried. A 5xx, or a success without
 * the ticket's id, may hide a created ticket. An HTML page or a redirect is a login page or a hibernating instance.
 * Anything else is final. With a `code` in the reason, every answer but a 429 and a 5xx is a refusal of this meaning.
 */
export function outcomeOfRefusal(response: AdapterResponse, clock: Clock, reason: Reason | string = {}): CreateFailure {
  const { status } = response;
  const { fields = {}, code, message, ...words }: Reason = typeof reason === 'string' ? { said: reason } : reason;
  const said =
    asText(words.said) ??
    asText(
      Object.entries(fields)
        .map(field => field.join(' '))
        .join('; '),
    );
  if (status === 429) {
    const wait = retryAfterMs(response, clock);
    return { kind: 'retryable', message: NO_ROOM, ...(wait !== undefined && { retryAfterMs: wait }) };
  }
  if (status >= 500) {
    return { kind: 'uncertain', message: `The platform failed (${status}) and may have created the ticket.` };
  }
  if (status >= 200 && status < 300 && !isPage(response) && code === undefined) {
    return { kind: 'uncertain', message: `The platform answered ${status} without the id of a ticket.` };
  }
  const isOfFields = Object.keys(fields).length > 0 && OF_FIELDS.has(status);
  const meant = refusal(response);
  const sentence = isOfFields ? `The platform rejected a field of the ticket (${status}).` : meant.message;
  return {
    kind: 'rejected',
    code: code ?? (isOfFields ? 'field' : meant.code),
    message: message ?? (said === undefined ? sentence : `${sentence} It says: ${quoted(said)}`),
    ...(isOfFields && { fields }),
  };
}

/**
 * The JSON of an answer to a reading request. @param clock needed for a `Retry-After` that is a date @throws
 * PlatformAnswerError if the answer is not successful or not JSON. Such an answer does not prove that the resource
 * does not exist.
 */
export function jsonOf(response: AdapterResponse, clock?: Clock): Json {
  const json = response.status === 200 ? response.json() : undefined;
  if (json !== undefined) return json;
  const { status } = response;
  if (status >= 200 && status < 300 && !isMarkup(response)) throw new PlatformAnswerError(BROKEN);
  const { code, message } = refusal(response);
  if (status === 429 || status >= 500) {
    const wait = retryAfterMs(response, clock);
    throw new PlatformAnswerError(status === 429 ? NO_ROOM : message, wait === undefined ? {} : { retryAfterMs: wait });
  }
  throw new PlatformAnswerError(message, { code });
}

/** Why a platform refuses, derived from the status and the format of its answer. */
export function refusal(response: AdapterResponse): { code: RejectionCode; message: string } {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const message = `The platform redirects (${status}), probably to a login page: check the instance URL and the account.`;
    return { code: 'auth', message };
  }
  if (status === 203) {
    return { code: 'auth', message: 'The platform answers with a page to sign in (203): check the credentials.' };
  }
  if (status >= 200 && status < 300) {
    const message =
      `The platform answered ${status} with an HTML page instead of JSON: the instance may be hibernating, or the ` +
      `URL is not its API.`;
    return { code: 'hibernating', message };
  }
  const known = REFUSALS[status];
  if (known) return { code: known[0], message: known[1] };
  return { code: 'config', message: `The platform rejected the request (${status}).` };
}

const REFUSALS: Readonly<Record<number, readonly [RejectionCode, string]>> = {
  401: ['auth', 'The platform does not accept the credentials (401): enter them again.'],
  403: ['forbidden', 'The platform denies this account access (403): check its permissions.'],
  404: ['config', 'The platform does not have this resource, or hides it from this account (404): check the settings.'],
};

/**
 * A login page, or the page of a hibernating instance. Only with status 200 or 203 is it certain that nothing was created.
 */
function isPage(response: AdapterResponse): boolean {
  return (response.status === 200 || response.status === 203) && isMarkup(response);
}

function isMarkup({ headers, body }: AdapterResponse): boolean {
  const type = headers['content-type'] ?? '';
  return /^text\/html\b/i.test(type) || body.subarray(0, 100).toString('latin1').trimStart().startsWith('<');
}
