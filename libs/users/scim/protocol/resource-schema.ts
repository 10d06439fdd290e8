import { named, type Attribute } from './attribute.js';

/** A published schema: the core schema of a resource type, or the schema of an extension. */
export interface Schema {
  readonly urn: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** All schemas of a resource type. */
export interface ResourceSchema {
  readonly core: Schema;
  readonly extensions: readonly Schema[];
  /** Attributes of every resource, which no schema lists: `schemas`, `id`, `externalId`, `meta`. */
  readonly common: readonly Attribute[];
  /** Standard attributes that this server accepts and ignores. */
  readonly notKept: readonly Attribute[];
}

/** An attribute of a resource. */
export interface AttributeRef {
  /** URN of the extension that defines the attribute; undefined for core attributes. */
  readonly extension?: string;
  readonly attribute: Attribute;
  readonly sub?: Attribute;
  /** True for a standard attribute that this server does not store. No resource has a value for it. */
  readonly absent?: true;
}

/**
 * Splits a path that begins with a URN, such as `urn:…:User:name.givenName`, into the schema and the rest of the path.
 */
function splitUrn(schema: ResourceSchema, path: string): { extension?: Schema; rest: string } | undefined {
  if (!/^urn:/i.test(path)) return { rest: path };
  const isNamed = ({ urn }: Schema): boolean => path.toLowerCase().startsWith(`${urn.toLowerCase()}:`);
  if (isNamed(schema.core)) return { rest: path.slice(schema.core.urn.length + 1) };
  const extension = schema.extensions.find(isNamed);
  return extension && { extension, rest: path.slice(extension.urn.length + 1) };
}

/** The attribute at a path such as `name.givenName`; undefined if there is none. */
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

/** The extension whose URN is this key of a body. */
export function findExtension(schema: ResourceSchema, key: string): Schema | undefined {
  return schema.extensions.find(({ urn }) => urn.toLowerCase() === key.toLowerCase());
}

/** The path of an attribute, such as `name.givenName`, or `urn:…:User:department` for an extension. */
export function pathOf({ extension, attribute, sub }: AttributeRef): string {
  return `${extension === undefined ? '' : `${extension}:`}${attribute.name}${sub ? `.${sub.name}` : ''}`;
}
