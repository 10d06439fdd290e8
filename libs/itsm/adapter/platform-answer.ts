import type { Clock, Json, JsonObject } from '#core';
import type { AdapterResponse } from './adapter-http.js';
import type { CreateFailure, RejectionCode } from './create-outcome.js';
import { cutText, oneLine } from './ticket-text.js';

/** Maximum length of a quoted message of the platform. */
const MAX_QUOTE = 500;

/** What an answer says about the platform as a whole, independent of the request. */
export interface PlatformFault {
  /** Reason of the refusal. The codes `auth` and `hibernating` pause the connector. */
  readonly code?: RejectionCode;
  /** Delay that the platform asks for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Thrown if the platform's answer does not contain the requested data. The message is a sentence for the operator. */
export class PlatformAnswerError extends Error {
  constructor(
    message: string,
    readonly platform: PlatformFault = {},
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

/** An id as text, from a non-empty string or an integer; otherwise undefined. */
export function asId(value: Json | undefined): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : asText(value);
}

/** The value if it is an `https:` URL; otherwise undefined. */
export function asPage(value: Json | undefined): string | undefined {
  const text = asText(value);
  return text?.startsWith('https://') ? text : undefined;
}

/**
 * Parses a platform's timestamp: milliseconds since 1970, or text such as `2026-11-20T10:15:00Z`,
 * `2026-11-20T10:15:00+0000` or `2026-11-20 10:15:00` (UTC). Undefined for anything else.
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
 * The delay that the platform asks for, in milliseconds. It is taken from `Retry-After` (seconds or a date). Without
 * that header, it is the time until `ratelimit-reset` if `ratelimit-remaining` is 0. Undefined if neither is valid, or
 * if the value is a date and no clock was given.
 */
export function retryAfterMs(response: AdapterResponse, clock?: Clock): number | undefined {
  const said = response.headers['retry-after']?.trim();
  if (said === undefined || said === '') {
    const { 'ratelimit-remaining': remaining, 'ratelimit-reset': reset = '' } = response.headers;
    // Accepts only a timestamp in seconds since 1970. Some platforms send a delay in seconds instead; it has fewer
    // digits.
    if (remaining !== '0' || !/^\d{10,12}$/.test(reset) || !clock) return undefined;
    return Math.max(0, Number(reset) * 1000 - clock.now().getTime());
  }
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(at) || !clock ? undefined : Math.max(0, at - clock.now().getTime());
}

/**
 * An HTML answer is a login page, or the page of a hibernating instance. A body that is neither HTML nor JSON was
 * truncated.
 */
const BROKEN = 'The platform’s answer is neither JSON nor HTML; it was probably cut off.';

const NO_ROOM = 'The platform limits the request rate (429).';

/** Error messages by field name, from an object of strings or of lists of strings. */
export function fieldTexts(value: Json | undefined): Record<string, string> {
  const all = Object.entries(asObject(value) ?? {}).map(([name, texts]) => {
    const said = (Array.isArray(texts) ? texts : [texts]).flatMap(each => asText(each) ?? []).join(', ');
    return [quoted(name), quoted(said || 'is not accepted')] as const;
  });
  return Object.fromEntries(all);
}

/** The reason of a refusal, as the platform states it. */
export interface Reason {
  /** The message of the platform. Default: the messages about fields. */
  readonly said?: string | undefined;
  /** Error messages by the platform's field names. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The meaning of the refusal, if the status implies another one. */
  readonly code?: RejectionCode;
  /** Message for the operator. Default: built from the status and the platform's message. */
  readonly message?: string;
}

/** Statuses with which platforms reject values of fields. */
const FIELD_ERROR_STATUSES = new Set([400, 403, 413, 422]);

/**
 * The outcome of a create whose answer was unsuccessful, for all platforms. After a 429, the create can be retried.
 * After a 5xx, or after a success without the ticket's id, a ticket may exist. An HTML page or a redirect means a login
 * page or a hibernating instance. Every other answer is a permanent refusal. If the reason has a `code`, the code
 * decides, except for 429 and 5xx.
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
  const isOfFields = Object.keys(fields).length > 0 && FIELD_ERROR_STATUSES.has(status);
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
 * The JSON of an answer to a read request.
 * @param clock the clock, which is needed to read a `Retry-After` date
 * @throws PlatformAnswerError if the answer is not successful or not JSON. Such an answer does not prove that the
 * resource is missing.
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

/** The code of a refusal, from the status and the content type of the answer. */
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
 * Whether the answer is a login page, or the page of a hibernating instance. Such a page proves that nothing was
 * created only if the status is 200 or 203.
 */
function isPage(response: AdapterResponse): boolean {
  return (response.status === 200 || response.status === 203) && isMarkup(response);
}

function isMarkup({ headers, body }: AdapterResponse): boolean {
  const type = headers['content-type'] ?? '';
  return /^text\/html\b/i.test(type) || body.subarray(0, 100).toString('latin1').trimStart().startsWith('<');
}
