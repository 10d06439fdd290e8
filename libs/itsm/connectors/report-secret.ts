import type { FieldError, JsonObject } from '#core';

/** What a platform sends with its reports, beside what it is called with. Adapters never see it, and it never leaves. */
export const REPORT_SECRET = 'report_secret';

const MIN_LENGTH = 16;
const MAX_LENGTH = 255;
// Visible ASCII: what every HTTP client sends unchanged in a header.
const SHAPE = /^[\x21-\x7e]+$/;

/** How a form asks for it, on every platform. */
export const REPORT_SECRET_SCHEMA = {
  type: 'string',
  title: 'Secret of reports',
  description:
    'The platform must send it in the header X-Report-Secret of every report. Once it is set, reports without it ' +
    'are rejected for tickets of this connector. Create one with: openssl rand -hex 32',
  minLength: MIN_LENGTH,
  maxLength: MAX_LENGTH,
  pattern: '^[\\x21-\\x7e]+$',
} satisfies JsonObject;

/** The secrets that the adapter asks for, and this one: undefined where it is not mentioned, null where it goes. */
export function splitSecrets({ [REPORT_SECRET]: report, ...own }: JsonObject): {
  own: JsonObject;
  report: JsonObject[string] | undefined;
} {
  return { own, report };
}

/** The defect of a secret, worded without repeating the secret. */
export function reportSecretFault(value: unknown): FieldError | undefined {
  if (value === undefined || value === null) return undefined;
  const field = `secrets.${REPORT_SECRET}`;
  if (typeof value !== 'string') return { field, message: 'must be a text' };
  if (value.length < MIN_LENGTH) return { field, message: `must have at least ${MIN_LENGTH} characters` };
  if (value.length > MAX_LENGTH) return { field, message: `must have at most ${MAX_LENGTH} characters` };
  return SHAPE.test(value) ? undefined : { field, message: 'must be visible ASCII characters without spaces' };
}
