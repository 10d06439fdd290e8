import type { Clock, Json, JsonObject } from '#core';
import type { AdapterResponse } from './adapter-http.js';
import type { CreateOutcome, RejectionCode } from './create-outcome.js';
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

/** A message of the platform, shortened to one line. */
export function quoted(text: string): string {
  return cutText(oneLine(text), MAX_QUOTE, '…');
}

/**
 * How long `Retry-After` (seconds, or a date) asks to wait, in milliseconds; undefined if it is missing or invalid,
 * or if it is a date and no clock was given.
 */
export function retryAfterMs(response: AdapterResponse, clock?: Clock): number | undefined {
  const said = response.headers['retry-after']?.trim();
  if (said === undefined || said === '') return undefined;
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(at) || !clock ? undefined : Math.max(0, at - clock.now().getTime());
}

/** A login page or a hibernating instance answers with HTML. A body that is neither HTML nor JSON was cut off. */
const BROKEN = 'The platform’s answer is neither JSON nor HTML; it was probably cut off.';

const NO_ROOM = 'The platform limits the request rate (429).';

/**
 * Maps an unsuccessful answer to a create request, for all platforms. 429 can be retried. A 5xx, or a success without
 * the ticket's id, may hide a created ticket. An HTML page or a redirect is a login page or a hibernating instance.
 * Anything else is final. `said` is the reason that the platform gave.
 */
export function outcomeOfRefusal(response: AdapterResponse, clock: Clock, said?: string): CreateOutcome {
  const { status } = response;
  if (status === 429) {
    const wait = retryAfterMs(response, clock);
    return { kind: 'retryable', message: NO_ROOM, ...(wait !== undefined && { retryAfterMs: wait }) };
  }
  if (status >= 500) {
    return { kind: 'uncertain', message: `The platform failed (${status}) and may have created the ticket.` };
  }
  if (status >= 200 && status < 300 && !isPage(response)) {
    return { kind: 'uncertain', message: `The platform answered ${status} without the id of a ticket.` };
  }
  const { code, message } = refusal(response);
  return { kind: 'rejected', code, message: said === undefined ? message : `${message} It says: ${quoted(said)}` };
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
