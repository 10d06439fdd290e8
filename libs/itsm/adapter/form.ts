import { SEVERITIES, type JsonObject, type Severity } from '#core';
import type { FormSchema } from './itsm-adapter.port.js';
import { TICKET_STATUSES, type TicketStatus } from './ticket-state.js';

declare const VALUE: unique symbol;

/** The schema of one property, with the type of its value. */
export type Field<Value> = JsonObject & { readonly [VALUE]?: Value };

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<Schema> = Schema extends { readonly [VALUE]?: infer Value } ? Value : never;
type AllValues<All extends Fields, Required extends keyof All> = {
  readonly [Name in Required]: ValueOf<All[Name]>;
} & { readonly [Name in Exclude<keyof All, Required>]?: ValueOf<All[Name]> };

/** The schema of a form, with the type of its values. */
export type Form<Values> = FormSchema & { readonly [VALUE]?: Values };

/** Type of the values of a form: `type Settings = form.Values<typeof SETTINGS>`. */
export type Values<Schema> = ValueOf<Schema>;

/**
 * Schema of an object with settings or secrets. Other properties are rejected.
 * @param required names of required properties
 */
export function of<All extends Fields, Required extends keyof All & string>(
  required: readonly Required[],
  properties: All,
): Form<AllValues<All, Required>> {
  return { type: 'object', additionalProperties: false, required: [...required], properties };
}

/** Schema of a string. @param more further limits, such as `maxLength` and `pattern` */
export function text(title: string, description: string, more: JsonObject = {}): Field<string> {
  return { type: 'string', title, description, ...more };
}

/** Schema of a token that is sent in a header: only characters that a header may contain, and no spaces. */
export function token(title: string, description: string, more: JsonObject = {}): Field<string> {
  return text(title, description, { minLength: 1, maxLength: 1024, pattern: '^[\\x21-\\x7e]+$', ...more });
}

/** Schema of an enumeration of strings. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
  title: string,
  description: string,
): Field<Choice> {
  return { type: 'string', title, description, enum: [...choices] };
}

/** The platform's priority for each severity. A missing severity has the default priority. */
export type Priorities = Readonly<Partial<Record<Severity, string>>>;

/**
 * Schema of a setting that maps severities to priorities of the platform.
 * @param pattern regular expression for a priority
 */
export function priorities(description: string, pattern = '\\S'): Field<Priorities> {
  const value = { type: 'string', minLength: 1, maxLength: 100, pattern };
  return {
    type: 'object',
    title: 'Priorities',
    description,
    additionalProperties: false,
    properties: Object.fromEntries(SEVERITIES.map(severity => [severity, value])),
  };
}

/** The status of a ticket for each state of the platform. */
export type Statuses = Readonly<Record<string, TicketStatus>>;

/**
 * Schema of a setting that maps further states of the platform to statuses.
 * @param pattern regular expression for a state
 */
export function statuses(description: string, pattern = '\\S'): Field<Statuses> {
  return {
    type: 'object',
    title: 'Statuses',
    description,
    maxProperties: 50,
    propertyNames: { pattern, maxLength: 100 },
    additionalProperties: { enum: [...TICKET_STATUSES] },
  };
}

/** Options of {@link fields}. */
export interface FieldsSetting {
  readonly description: string;
  /** Fields that the adapter sets itself. The setting cannot override them. */
  readonly reserved: readonly string[];
  /** Schema of the value of a field. Default: any JSON. */
  readonly values?: JsonObject;
}

/** Schema of a setting with additional fields of the ticket, by the platform's field names. */
export function fields({ description, reserved, values = {} }: FieldsSetting): Field<JsonObject> {
  return {
    type: 'object',
    title: 'Further fields',
    description,
    maxProperties: 50,
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.]*$', maxLength: 100, not: { enum: [...reserved] } },
    additionalProperties: values,
  };
}

/** Whether a text is a URL that `new URL` accepts, without spaces, control characters and backslashes. */
export function isUrl(text: string): boolean {
  return !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text);
}

/** Options of {@link url}. */
export interface UrlSetting {
  readonly title: string;
  readonly description?: string;
  /** Whether a path may follow the host. Default: no. */
  readonly path?: boolean;
}

/**
 * Schema of the `https:` address of a platform: a host and an optional port, without credentials, query or fragment.
 * `new URL` accepts every text that matches the schema.
 */
export function url({ title, description, path = false }: UrlSetting): Field<string> {
  return {
    type: 'string',
    title,
    ...(description !== undefined && { description }),
    format: 'uri',
    pattern: path ? String.raw`^https://[^/?#@\s\\]+(/[^?#@\s\\]*)?$` : String.raw`^https://[^/?#@\s\\]+/?$`,
    maxLength: 500,
  };
}
