import { withoutSecrets } from './without-secrets.js';

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** The headers that were sent and received in one attempt. */
export interface ExchangedHeaders {
  readonly request: Headers;
  /** Null if there was no answer, or if the answer may not be shown. */
  readonly response: Headers | null;
}

const ANSWERED_MAX = 50;
const VALUE_MAX = 1_000;
const HIDDEN = '[hidden]';
/** Headers of an answer whose values may be credentials. */
const SECRET_NAMES = /^(?:set-cookie|authorization|proxy-authenticate|www-authenticate|x-api-key)$/;

/**
 * The headers of an attempt in the form in which they are stored. The request's headers include the signatures, which
 * are not credentials. Of the answer's headers, the first 50 are stored, each up to 1,000 characters. The values of
 * cookies and credentials, and signing secrets, are hidden.
 */
export function exchangedHeaders(sent: Headers, answered: Headers | null, secrets: readonly string[]): string {
  const stored: ExchangedHeaders = { request: sent, response: answered === null ? null : shortened(answered) };
  return withoutSecrets(Buffer.from(JSON.stringify(stored)), secrets, false).toString();
}

/** Parses what {@link exchangedHeaders} has written. */
export function readExchangedHeaders(text: string | null): ExchangedHeaders | null {
  // Only exchangedHeaders() writes this column.
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
