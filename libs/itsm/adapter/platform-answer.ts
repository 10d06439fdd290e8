import type { Clock, Json, JsonObject } from '#core';
import type { AdapterResponse } from './adapter-http.js';
import type { CreateOutcome, RejectionCode } from './create-outcome.js';
import { cutText, oneLine } from './ticket-text.js';

/** As much of what a platform says as an operator reads. */
const MAX_QUOTE = 500;

/** What an answer says of the platform, whatever it was asked. */
export interface PlatformTrouble {
  /** Why it refuses. With `auth` and `hibernating` nothing else is asked of it for a while. */
  readonly code?: RejectionCode;
  /** For how many milliseconds it asks for quiet. */
  readonly retryAfterMs?: number;
}

/** The platform answered, and its answer does not say what was asked. The message is a sentence for the operator. */
export class PlatformAnswerError extends Error {
  constructor(
    message: string,
    readonly platform: PlatformTrouble = {},
  ) {
    super(message);
    this.name = 'PlatformAnswerError';
  }
}

/** The object that an answer holds as JSON; undefined where it holds none. */
export function objectIn(response: AdapterResponse): JsonObject | undefined {
  return asObject(response.json());
}

/** The value as an object that is no list; undefined where it is none. */
export function asObject(value: unknown): JsonObject | undefined {
  // It came out of JSON: what is an object there, is one of JSON.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value as a text that is not empty; undefined where it is none. */
export function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a platform said, short and on one line. */
export function quoted(text: string): string {
  return cutText(oneLine(text), MAX_QUOTE, '…');
}

/**
 * How long `Retry-After` (seconds, or a date) asks to wait, in milliseconds; undefined where it is missing or nonsense, or
 * a date without a clock to read it by.
 */
export function retryAfterMs(response: AdapterResponse, clock?: Clock): number | undefined {
  const said = response.headers['retry-after']?.trim();
  if (said === undefined || said === '') return undefined;
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(at) || !clock ? undefined : Math.max(0, at - clock.now().getTime());
}

/** A login or a sleeping instance is markup; what is neither that nor JSON broke off on its way. */
const BROKEN = 'The platform’s answer is neither data nor a page: it seems to have failed in the middle of it.';

const NO_ROOM = 'The platform has no room for another request now (429).';

/**
 * What every platform means by an answer to a create that is no success: 429 can be tried again; a 5xx, and a success
 * without the ticket's id, may hide a ticket; a page or a redirect is a login or an instance that sleeps; anything else
 * is final. `said` is what the platform gave as its reason. For answers to a create only.
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
 * The JSON of an answer to a request that reads.
 * @param clock reads a `Retry-After` that is a date
 * @throws PlatformAnswerError if the answer is no success or no JSON. Such an answer does not prove that the thing is
 * not there.
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

/** Why a platform refuses, as far as the status and the form of its answer tell. */
export function refusal(response: AdapterResponse): { code: RejectionCode; message: string } {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const message = `The platform redirects (${status}), as to a login: check the instance URL and the account.`;
    return { code: 'auth', message };
  }
  if (status >= 200 && status < 300) {
    const message = `The platform answered ${status} with a page in place of data: it may be asleep, or this is no API.`;
    return { code: 'hibernating', message };
  }
  const known = REFUSALS[status];
  if (known) return { code: known[0], message: known[1] };
  return { code: 'config', message: `The platform refuses the request (${status}).` };
}

const REFUSALS: Readonly<Record<number, readonly [RejectionCode, string]>> = {
  401: ['auth', 'The platform does not accept the credentials (401): enter them again.'],
  403: ['forbidden', 'The platform does not let this account do it (403): check its rights.'],
  404: ['config', 'The platform knows no such place (404), or hides it from this account: check the settings.'],
};

/** A login, or the page of an instance that sleeps. Only a 200 creates nothing that way. */
function isPage(response: AdapterResponse): boolean {
  return response.status === 200 && isMarkup(response);
}

function isMarkup({ headers, body }: AdapterResponse): boolean {
  const type = headers['content-type'] ?? '';
  return /^text\/html\b/i.test(type) || body.subarray(0, 100).toString('latin1').trimStart().startsWith('<');
}
