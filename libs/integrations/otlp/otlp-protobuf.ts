import { PbfReader, PbfWriter } from 'pbf';
import { BadRequestError } from '#core';
import type { Signal } from './signal.js';

/** Content type of OTLP in protobuf. */
export const PROTOBUF = 'application/x-protobuf';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** How a field is encoded, and how its value appears in OTLP's JSON format. */
type Form = keyof typeof WIRE_TYPES | Message;

const WIRE_TYPES = {
  text: BYTES,
  hex: BYTES,
  bool: VARINT,
  int: VARINT,
  fixed: FIXED64,
  signed: FIXED64,
  double: FIXED64,
};

/** The fields of a message that are decoded, by field number. All other fields are skipped. */
interface Message {
  readonly [tag: number]: readonly [name: string, form: Form, isList?: 'list'];
}

// Field numbers and names are those of the .proto files of OTLP 1.x.
const ANY_VALUE: Message = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int'],
  4: ['doubleValue', 'double'],
};
const KEY_VALUE: Message = { 1: ['key', 'text'], 2: ['value', ANY_VALUE] };
const RESOURCE: Message = { 1: ['attributes', KEY_VALUE, 'list'] };
const SPAN: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  5: ['name', 'text'],
  7: ['startTimeUnixNano', 'fixed'],
  8: ['endTimeUnixNano', 'fixed'],
  9: ['attributes', KEY_VALUE, 'list'],
};
const LOG_RECORD: Message = {
  1: ['timeUnixNano', 'fixed'],
  5: ['body', ANY_VALUE],
  6: ['attributes', KEY_VALUE, 'list'],
  12: ['eventName', 'text'],
};
const POINT: Message = {
  2: ['startTimeUnixNano', 'fixed'],
  3: ['timeUnixNano', 'fixed'],
  4: ['asDouble', 'double'],
  6: ['asInt', 'signed'],
  7: ['attributes', KEY_VALUE, 'list'],
};
const SUM: Message = { 1: ['dataPoints', POINT, 'list'], 2: ['aggregationTemporality', 'int'] };
const METRIC: Message = { 1: ['name', 'text'], 7: ['sum', SUM] };

const requestOf = (resources: string, scopes: string, items: string, item: Message): Message => {
  const scope: Message = { 2: [items, item, 'list'] };
  return { 1: [resources, { 1: ['resource', RESOURCE], 2: [scopes, scope, 'list'] }, 'list'] };
};

const REQUESTS: Record<Signal, Message> = {
  traces: requestOf('resourceSpans', 'scopeSpans', 'spans', SPAN),
  logs: requestOf('resourceLogs', 'scopeLogs', 'logRecords', LOG_RECORD),
  metrics: requestOf('resourceMetrics', 'scopeMetrics', 'metrics', METRIC),
};

type Fields = Record<string, unknown>;

/**
 * Decodes an export request to OTLP's JSON format. Only parts that contain usage are decoded.
 * @throws BadRequestError if it is invalid
 */
export function decodeRequest(signal: Signal, bytes: Uint8Array): object {
  try {
    return readMessage(new PbfReader(bytes), REQUESTS[signal], bytes.length);
  } catch {
    throw new BadRequestError('The body is not valid protobuf of OTLP.');
  }
}

/** An export response; empty if nothing was rejected. */
export function encodeResponse(partial: { rejected: number; errorMessage: string } | undefined): Buffer {
  const writer = new PbfWriter();
  if (partial) {
    writer.writeMessage(
      1,
      ({ rejected, errorMessage }, inner) => {
        inner.writeVarintField(1, rejected);
        inner.writeStringField(2, errorMessage);
      },
      partial,
    );
  }
  return Buffer.from(writer.finish());
}

/** Checks that no length exceeds the enclosing message. The reader itself would read past the end. */
function readMessage(reader: PbfReader, message: Message, end: number): Fields {
  const fields: Fields = {};
  reader.readFields(
    tag => {
      const field = message[tag];
      if (reader.type === BYTES) checkLength(reader, end);
      if (!field) return;
      const [name, form, list] = field;
      if (reader.type !== (typeof form === 'string' ? WIRE_TYPES[form] : BYTES))
        throw new Error(`${name} is not of type ${tag}`);
      const value = typeof form === 'string' ? readValue(reader, form) : readInner(reader, form);
      if (list === undefined) fields[name] = value;
      else if (Array.isArray(fields[name])) fields[name].push(value);
      else fields[name] = [value];
    },
    fields,
    end,
  );
  if (reader.pos !== end) throw new Error('A message does not end where it should.');
  return fields;
}

function readInner(reader: PbfReader, message: Message): Fields {
  const length = reader.readVarint();
  return readMessage(reader, message, reader.pos + length);
}

function checkLength(reader: PbfReader, end: number): void {
  const start = reader.pos;
  const length = reader.readVarint();
  if (!(length <= end - reader.pos)) throw new Error('A field is longer than its message.');
  reader.pos = start;
}

function readValue(reader: PbfReader, form: keyof typeof WIRE_TYPES): unknown {
  switch (form) {
    case 'text':
      return reader.readString();
    case 'hex':
      return Buffer.from(reader.readBytes()).toString('hex');
    case 'bool':
      return reader.readBoolean();
    case 'int':
      return reader.readVarint(true);
    case 'fixed':
      return reader.readFixed64();
    case 'signed':
      return reader.readSFixed64();
    case 'double':
      return reader.readDouble();
  }
}
