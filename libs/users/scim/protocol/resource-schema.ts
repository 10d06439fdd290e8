import { named, type Attribute } from './attribute.js';

/** One published schema: the core of a resource, or an extension. */
export interface Schema {
  readonly urn: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** The schema of a type of resource. */
export interface ResourceSchema {
  readonly core: Schema;
  readonly extensions: readonly Schema[];
  /** Attributes of every resource, which no schema lists: `schemas`, `id`, `externalId`, `meta`. */
  readonly common: readonly Attribute[];
  /** Attributes that the standard defines and this server does not store: accepted and ignored. */
  readonly notKept: readonly Attribute[];
}

/** An attribute within a resource. */
export interface AttributeRef {
  /** The extension that defines the attribute; undefined for the core. */
  readonly extension?: string;
  readonly attribute: Attribute;
  readonly sub?: Attribute;
  /** The standard defines the attribute, but this server does not store it: no resource has a value. */
  readonly absent?: true;
}

/** Splits `urn:…:User:name.givenName` into the schema that it names and the rest. */
function splitUrn(schema: ResourceSchema, path: string): { extension?: Schema; rest: string } | undefined {
  if (!/^urn:/i.test(path)) return { rest: path };
  const isNamed = ({ urn }: Schema): boolean => path.toLowerCase().startsWith(`${urn.toLowerCase()}:`);
  if (isNamed(schema.core)) return { rest: path.slice(schema.core.urn.length + 1) };
  const extension = schema.extensions.find(isNamed);
  return extension && { extension, rest: path.slice(extension.urn.length + 1) };
}

/** The attribute that a path such as `name.givenName` names; undefined if there is none. */
export function findAttribute(schema: ResourceSchema, path: string): AttributeRef | undefined {
  const found = splitUrn(schema, path);
  if (!found) return undefined;
  const [name = '', subName, ...more] = found.rest.split('.');
  if (more.length > 0) return undefined;
  const attributes = found.extension?.attributes ?? [...schema.core.attributes, ...schema.common];
  const kept = named(attributes, name);
  const attribute = kept ?? (found.extension ? undefined : named(schema.notKept, name));
  if (!attribute) return undefined;
  const sub = subName === undefined ? undefined : named(attribute.subAttributes ?? [], subName);
  if (subName !== undefined && !sub) return undefined;
  return {
    ...(found.extension ? { extension: found.extension.urn } : {}),
    attribute,
    ...(sub ? { sub } : {}),
    ...(kept ? {} : { absent: true as const }),
  };
}

/** The extension that a key of a body names by its URN. */
export function findExtension(schema: ResourceSchema, key: string): Schema | undefined {
  return schema.extensions.find(({ urn }) => urn.toLowerCase() === key.toLowerCase());
}

/** The attribute path, such as `name.givenName` or `urn:…:User:department`. */
export function pathOf({ extension, attribute, sub }: AttributeRef): string {
  return `${extension === undefined ? '' : `${extension}:`}${attribute.name}${sub ? `.${sub.name}` : ''}`;
}
