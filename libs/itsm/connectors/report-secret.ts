import type { FieldError, Json, JsonObject } from '#core';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';

/** The secret that a platform sends with its reports. Adapters never see this secret, and no answer shows it. */
export const REPORT_SECRET = 'report_secret';
/** The key with which a platform signs its webhooks; only the adapter's check of signatures sees this key. */
export const WEBHOOK_SECRET = 'webhook_secret';

/** The secrets with which a platform proves that a report is its own. */
export const REPORT_SECRETS = [REPORT_SECRET, WEBHOOK_SECRET] as const;
export type ReportSecretName = (typeof REPORT_SECRETS)[number];

/** Secrets of reports that a user entered. Null removes a secret. */
export type ReportSecrets<Value = string | null> = Readonly<Partial<Record<ReportSecretName, Value>>>;

const MIN_LENGTH = 16;
const MAX_LENGTH = 255;
// Visible ASCII, which every HTTP client sends unchanged in a header.
const SHAPE = /^[\x21-\x7e]+$/;
const FORM = { type: 'string', minLength: MIN_LENGTH, maxLength: MAX_LENGTH, pattern: '^[\\x21-\\x7e]+$' };

const REPORT_SECRET_SCHEMA = {
  ...FORM,
  title: 'Secret of reports',
  description:
    'The platform must send it with every report, in the header X-Report-Secret or as the password of Basic ' +
    'authentication. Once it is set, reports without it are rejected for tickets of this connector. Create one with: ' +
    'openssl rand -hex 32',
} satisfies JsonObject;

const WEBHOOK_SECRET_SCHEMA = {
  ...FORM,
  title: 'Secret of webhooks',
  description:
    'The platform signs its webhooks with it. Enter the same there. Once it is set, reports without a valid ' +
    'signature are rejected for tickets of this connector. Create one with: openssl rand -hex 32',
} satisfies JsonObject;

/** JSON Schemas of the report secrets in connector forms, in addition to the adapter's own secrets. */
export function reportSecretSchemas({ isSigned }: Pick<ItsmAdapter, 'isSigned'>): JsonObject {
  return { [REPORT_SECRET]: REPORT_SECRET_SCHEMA, ...(isSigned && { [WEBHOOK_SECRET]: WEBHOOK_SECRET_SCHEMA }) };
}

/**
 * Splits secrets into those of the adapter and those of reports. The result contains only report secrets that were
 * entered.
 */
export function splitSecrets(secrets: JsonObject): { own: JsonObject; reports: ReportSecrets<Json> } {
  const { [REPORT_SECRET]: report, [WEBHOOK_SECRET]: webhook, ...own } = secrets;
  return {
    own,
    reports: {
      ...(report !== undefined && { [REPORT_SECRET]: report }),
      ...(webhook !== undefined && { [WEBHOOK_SECRET]: webhook }),
    },
  };
}

/** The fault of a secret. The text does not repeat the secret. */
export function reportSecretFault(
  name: ReportSecretName,
  value: unknown,
  adapter: Pick<ItsmAdapter, 'isSigned'> | undefined,
): FieldError | undefined {
  if (value === undefined || value === null) return undefined;
  const field = `secrets.${name}`;
  if (name === WEBHOOK_SECRET && !adapter?.isSigned) {
    return { field, message: 'is not a field of this kind of connector' };
  }
  if (typeof value !== 'string') return { field, message: 'must be a text' };
  if (value.length < MIN_LENGTH) return { field, message: `must have at least ${MIN_LENGTH} characters` };
  if (value.length > MAX_LENGTH) return { field, message: `must have at most ${MAX_LENGTH} characters` };
  return SHAPE.test(value) ? undefined : { field, message: 'must be visible ASCII characters without spaces' };
}
