import { sentence } from '../../data/format.ts';

/** A field of a form that is made from a JSON schema. */
export interface SchemaField {
  /** Path of the property, if it belongs to a nested object: `priorities.high`. */
  name: string;
  title: string;
  description: string | undefined;
  /** The nested object to which the property belongs, if there is one. */
  group?: { title: string; description: string | undefined };
  type: 'text' | 'number' | 'boolean' | 'choice' | 'json' | 'list';
  isRequired: boolean;
  choices: readonly string[];
  maxLength: number | undefined;
  initial: string | boolean;
  /** Checks a value that is not empty. Returns an error message, or true. */
  check: (value: string) => true | string;
}

type Json = Record<string, unknown>;

/**
 * The fields of an object schema, in the order of the schema, required fields first. A nested object has one field per
 * property. If it has no properties, or contains further objects, it has a single JSON field instead.
 */
export function fieldsOf(schema: Json): SchemaField[] {
  const fields = propertiesOf(schema).flatMap(([name, property, isRequired]) => {
    const inner = property['type'] === 'object' ? propertiesOf(property) : [];
    const isFlat = inner.length > 0 && inner.every(([, { type }]) => type !== 'object');
    if (!isFlat) return [fieldOf(name, property, isRequired)];
    const { title, description } = fieldOf(name, property, isRequired);
    return inner.map(([innerName, each, isNeeded]) => {
      const field = fieldOf(`${name}.${innerName}`, each, isRequired && isNeeded);
      const own = typeof each['title'] === 'string' ? each['title'] : sentence(innerName);
      return Object.assign(field, { title: own, group: { title, description } });
    });
  });
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

function propertiesOf(schema: Json): [name: string, property: Json, isRequired: boolean][] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties.flatMap(([name, property]) =>
    isRecord(property) ? [[name, property, required.includes(name)] as [string, Json, boolean]] : [],
  );
}

function fieldOf(name: string, property: Json, isRequired: boolean): SchemaField {
  const text = (key: string): string | undefined => {
    const value = property[key];
    return typeof value === 'string' ? value : undefined;
  };
  const choices = Array.isArray(property['enum']) ? property['enum'].map(String) : [];
  const kind = text('type');
  const type =
    choices.length > 0
      ? 'choice'
      : kind === 'boolean'
        ? 'boolean'
        : kind === 'number' || kind === 'integer'
          ? 'number'
          : kind === 'object'
            ? 'json'
            : kind === 'array'
              ? 'list'
              : 'text';
  const initial = property['default'];
  const maxLength = property['maxLength'];
  const minLength = property['minLength'];
  return {
    name,
    title: text('title') ?? name,
    description: text('description'),
    type,
    isRequired,
    choices,
    maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    initial: type === 'boolean' ? initial === true : textOf(initial),
    check: value => {
      if (type === 'json') return isRecord(parsed(value)) || 'Enter a JSON object, such as {"category": "software"}.';
      if (type === 'list') return Array.isArray(parsed(value)) || 'Enter a JSON list, such as ["red", "blue"].';
      if (type === 'number') return Number.isFinite(Number(value)) || 'Enter a number.';
      if (typeof minLength === 'number' && value.length < minLength) return `Enter at least ${minLength} characters.`;
      return matches(text('pattern'), value) || 'Invalid format. See the hint below.';
    },
  };
}

/** Converts the text of a field to the API's value. Undefined if the text is empty. */
export function valueOf({ type }: SchemaField, entry: string | boolean | undefined): unknown {
  if (typeof entry === 'boolean' || entry === undefined) return entry;
  const text = entry.trim();
  if (text === '') return undefined;
  if (type === 'json' || type === 'list') return parsed(text);
  return type === 'number' ? Number(text) : text;
}

/** The value of a field among the values of the form. */
export function valueAt(values: Json, { name }: Pick<SchemaField, 'name'>): unknown {
  return name.split('.').reduce<unknown>((rest, part) => (isRecord(rest) ? rest[part] : undefined), values);
}

/** Builds the nested objects of the form and the API from the values of fields. Leaves out objects without values. */
export function nested(values: readonly (readonly [field: SchemaField, value: unknown])[]): Json {
  const all: Json = {};
  for (const [{ name }, value] of values) {
    if (value === undefined) continue;
    const [outer = '', inner] = name.split('.', 2);
    const before = all[outer];
    all[outer] = inner === undefined ? value : { ...(isRecord(before) && before), [inner]: value };
  }
  return all;
}

/** A setting as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Parses JSON. Undefined if the text is not valid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** If the browser does not support the pattern, only the server checks the text. */
function matches(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
