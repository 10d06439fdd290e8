import { SEVERITIES, type JsonObject, type Severity } from '#core';
import type { FormSchema } from './itsm-adapter.port.js';

declare const VALUE: unique symbol;

/** The schema of one property of a form, and the type of its values. */
export type Field<Value> = JsonObject & { readonly [VALUE]?: Value };

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<Schema> = Schema extends { readonly [VALUE]?: infer Value } ? Value : never;
type AllValues<All extends Fields, Required extends keyof All> = {
  readonly [Name in Required]: ValueOf<All[Name]>;
} & { readonly [Name in Exclude<keyof All, Required>]?: ValueOf<All[Name]> };

/** The schema of a form, and the type of what people enter. */
export type Form<Values> = FormSchema & { readonly [VALUE]?: Values };

/** What people enter into a form: `type Settings = form.Values<typeof SETTINGS>`. */
export type Values<Schema> = ValueOf<Schema>;

/** The schema of settings or secrets: these properties and no others. @param required names of those that must be there */
export function of<All extends Fields, Required extends keyof All & string>(
  required: readonly Required[],
  properties: All,
): Form<AllValues<All, Required>> {
  return { type: 'object', additionalProperties: false, required: [...required], properties };
}

/** The schema of a text. @param more limits, such as `maxLength` and `pattern` */
export function text(title: string, description: string, more: JsonObject = {}): Field<string> {
  return { type: 'string', title, description, ...more };
}

/** The schema of a token that is sent in a header: characters that can stand there, and no blanks. */
export function token(title: string, description: string, more: JsonObject = {}): Field<string> {
  return text(title, description, { minLength: 1, maxLength: 1024, pattern: '^[\\x21-\\x7e]+$', ...more });
}

/** The schema of one of a few texts. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
  title: string,
  description: string,
): Field<Choice> {
  return { type: 'string', title, description, enum: [...choices] };
}

/** The platform's priority by severity; severities that are left out keep the default. */
export type Priorities = Readonly<Partial<Record<Severity, string>>>;

/** The schema of a setting that maps severities to priorities of the platform. @param pattern of a priority */
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

/** Options of a setting of further fields. */
export interface FieldsSetting {
  readonly description: string;
  /** Fields that the adapter fills itself; the setting cannot override them. */
  readonly reserved: readonly string[];
  /** The schema of a value. Default: any JSON. */
  readonly values?: JsonObject;
}

/** The schema of a setting that holds further fields of a ticket, by the platform's names of them. */
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

/** Whether a text is an address as `new URL` reads it, spelled without blanks, control characters and backslashes. */
export function isUrl(text: string): boolean {
  return !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text);
}

/** Options of a URL setting. */
export interface UrlSetting {
  readonly title: string;
  readonly description?: string;
  /** Whether a path may follow the host. Default: no. */
  readonly path?: boolean;
}

/**
 * The schema of a setting that is the `https:` address of a platform: a host with or without a port, never credentials,
 * a query or a fragment. What fits it, `new URL` takes.
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
