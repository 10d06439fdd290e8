import { withoutSecrets } from './without-secrets.js';

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** The headers of one attempt. */
export interface ExchangedHeaders {
  readonly request: Headers;
  /** Null without an answer, or if it may not be shown. */
  readonly response: Headers | null;
}

const ANSWERED_MAX = 50;
const VALUE_MAX = 1_000;
const HIDDEN = '[hidden]';
/** Headers of an answer whose values are credentials. */
const SECRET_NAMES = /^(?:set-cookie|authorization|proxy-authenticate|www-authenticate|x-api-key)$/;

/**
 * The headers of an attempt as they are stored. Headers of the request include the signatures, which are no
 * credentials. Of the answer, the first 50 are stored, each up to 1,000 characters, without cookies and signing
 * secrets.
 */
export function exchangedHeaders(sent: Headers, answered: Headers | null, secrets: readonly string[]): string {
  const stored: ExchangedHeaders = { request: sent, response: answered === null ? null : shortened(answered) };
  return withoutSecrets(Buffer.from(JSON.stringify(stored)), secrets, false).toString();
}

/** Reads what {@link exchangedHeaders} wrote. */
export function readExchangedHeaders(text: string | null): ExchangedHeaders | null {
  // Nothing else writes this column.
  return text === null ? null : (JSON.parse(text) as ExchangedHeaders);
}

function shortened(headers: Headers): Headers {
  const entries = Object.entries(headers).slice(0, ANSWERED_MAX);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name.slice(0, VALUE_MAX),
      SECRET_NAMES.test(name) ? HIDDEN : value.slice(0, VALUE_MAX),
    ]),
  );
}
