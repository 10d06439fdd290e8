import { BadRequestError, UnsupportedMediaTypeError } from '#core';
import { isRecord, memberOf, type JsonRecord } from '../records.js';

/** Attributes by name. Lists and objects are omitted. */
export type Attributes = ReadonlyMap<string, unknown>;

/** A span, a log record or a metric, with the attributes of its resource. */
export interface Received {
  readonly item: JsonRecord;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** Names of the nested lists of an export request, the outermost first. */
export type Nesting = readonly [resources: string, scopes: string, items: string];

/** The items of an export request in OTLP's JSON format. @throws BadRequestError if it is invalid */
export function itemsOf(body: unknown, [resources, scopes, items]: Nesting): Received[] {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send OTLP with content-type: application/x-protobuf or application/json.');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be an export request of OTLP as a JSON object');
  return listOf(body, resources).flatMap(ofResource => {
    const resource = attributesOf(memberOf(ofResource, 'resource'));
    return listOf(ofResource, scopes)
      .flatMap(ofScope => listOf(ofScope, items))
      .map(item => {
        if (!isRecord(item)) throw BadRequestError.field(items, 'must be a list of objects');
        return { item, attributes: attributesOf(item), resource };
      });
  });
}

/**
 * A list in a message; empty if it is missing.
 * @throws BadRequestError if it is not a list
 */
export function listOf(parent: unknown, name: string): readonly unknown[] {
  const list = memberOf(parent, name) ?? [];
  if (!Array.isArray(list)) throw BadRequestError.field(name, 'must be a list');
  return list;
}

/** The attributes of a message. @throws BadRequestError if they are not a list */
export function attributesOf(parent: unknown): Attributes {
  const attributes = new Map<string, unknown>();
  for (const attribute of listOf(parent, 'attributes')) {
    const [key, value] = [memberOf(attribute, 'key'), plainOf(memberOf(attribute, 'value'))];
    if (typeof key === 'string' && value !== undefined) attributes.set(key, value);
  }
  return attributes;
}

/** The value of an AnyValue as a JavaScript value. In OTLP's JSON format, integers of 64 bits are texts. */
export function plainOf(value: unknown): unknown {
  const integer = memberOf(value, 'intValue');
  if (integer !== undefined) return Number(integer);
  return memberOf(value, 'stringValue') ?? memberOf(value, 'doubleValue') ?? memberOf(value, 'boolValue');
}
