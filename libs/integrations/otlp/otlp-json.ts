import { BadRequestError, UnsupportedMediaTypeError } from '#core';
import { isRecord, memberOf, type JsonRecord } from '../records.js';

/** Attributes by name; lists and objects are left out. */
export type Attributes = ReadonlyMap<string, unknown>;

/** A span with the resource that it belongs to. */
export interface ReceivedSpan {
  readonly span: JsonRecord;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** The spans of an ExportTraceServiceRequest in OTLP's JSON form. @throws BadRequestError where it is none */
export function spansOf(body: unknown): ReceivedSpan[] {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send OTLP as JSON, with content-type: application/json (protocol http/json).');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be an ExportTraceServiceRequest as a JSON object');
  return listOf(body, 'resourceSpans').flatMap(resourceSpans => {
    const resource = attributesOf(memberOf(resourceSpans, 'resource'));
    return listOf(resourceSpans, 'scopeSpans')
      .flatMap(scopeSpans => listOf(scopeSpans, 'spans'))
      .map(span => {
        if (!isRecord(span)) throw BadRequestError.field('spans', 'must be a list of objects');
        return { span, attributes: attributesOf(span), resource };
      });
  });
}

function listOf(parent: unknown, name: string): readonly unknown[] {
  const list = memberOf(parent, name) ?? [];
  if (!Array.isArray(list)) throw BadRequestError.field(name, 'must be a list');
  return list;
}

function attributesOf(parent: unknown): Attributes {
  const attributes = new Map<string, unknown>();
  for (const attribute of listOf(parent, 'attributes')) {
    const [key, value] = [memberOf(attribute, 'key'), plainOf(memberOf(attribute, 'value'))];
    if (typeof key === 'string' && value !== undefined) attributes.set(key, value);
  }
  return attributes;
}

/** The value of an AnyValue. Integers of 64 bits are texts in JSON. */
function plainOf(value: unknown): unknown {
  const integer = memberOf(value, 'intValue');
  if (integer !== undefined) return Number(integer);
  return memberOf(value, 'stringValue') ?? memberOf(value, 'doubleValue') ?? memberOf(value, 'boolValue');
}
