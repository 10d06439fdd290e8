import type { FieldError, JsonObject } from '#core';
import type { FormSchema, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { TEMPLATE_NAMES, templateFault } from '../decide/templates.js';

const NAMES = Object.keys(TEMPLATE_NAMES).join(', ');

/** Settings that every connector has, in addition to those of its adapter. */
export const COMMON_SETTINGS: Readonly<Record<string, JsonObject>> = {
  title_template: {
    type: 'string',
    title: 'Title template',
    description: `Title of tickets, with names in {{ }}, such as {{ severity }}: {{ policy }} by {{ person }}. Names: ${NAMES}.`,
    minLength: 1,
    maxLength: 500,
  },
  text_template: {
    type: 'string',
    title: 'Text template',
    description: `Text at the beginning of the description, with names in {{ }} as in the title. Names: ${NAMES}.`,
    minLength: 1,
    maxLength: 4_000,
  },
};

const extended = new WeakMap<FormSchema, FormSchema>();

/** The schema of all settings of a connector. */
export function settingsSchemaOf({ settingsSchema }: Pick<ItsmAdapter, 'settingsSchema'>): FormSchema {
  const known = extended.get(settingsSchema);
  if (known) return known;
  const { properties } = settingsSchema;
  const own = typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? properties : {};
  const schema: FormSchema = { ...settingsSchema, properties: { ...own, ...COMMON_SETTINGS } };
  extended.set(settingsSchema, schema);
  return schema;
}

/** Validates the templates in the settings. */
export function templateFaults(settings: JsonObject): FieldError[] {
  return Object.keys(COMMON_SETTINGS).flatMap(name => {
    const value = settings[name];
    const message = typeof value === 'string' ? templateFault(value) : undefined;
    return message === undefined ? [] : [{ field: `settings.${name}`, message }];
  });
}
