import type { IncomingMessage } from 'node:http';
import { announcedBytesOf, decodeBody, parseBody, readBytes, unreadBodyOf, type HttpRequest } from '#access';
import { BadRequestError, inspectJson, PayloadTooLargeError, UnsupportedMediaTypeError } from '#core';

const MIB = 1024 * 1024;

/**
 * Maximum nesting depth of a body. No tool schema is deeper. The limit bounds the cost of a body that consists of
 * brackets.
 */
const MAX_DEPTH = 256;

type RawRequest = HttpRequest & { rawBody?: unknown };

/**
 * The body of a request, unchanged. If the host's body parser has read the body: the raw bytes if the host keeps them,
 * otherwise the parsed value as new JSON text.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError, BadRequestError
 */
export async function readRawBody(request: RawRequest, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new UnsupportedMediaTypeError('Send the body without content-encoding.');
  }
  const unread = unreadBodyOf(request);
  const bytes = unread ? await bytesOf(unread, maxBytes) : parsedBefore(request);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/**
 * The JSON in a body. Rejects duplicate keys, because the provider might use another one of them than this gateway.
 * @throws BadRequestError
 */
export function readJson(bytes: Buffer): unknown {
  const text = decodeBody(bytes);
  const value = parseBody(text);
  const defect = inspectJson(text, MAX_DEPTH);
  if (!defect) return value;
  const what = 'key' in defect ? `${defect.kind}: ${JSON.stringify(defect.key.slice(0, 100))}` : defect.kind;
  throw new BadRequestError(`The body is refused (${what}).`);
}

function parsedBefore({ rawBody, body }: RawRequest): Buffer {
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
}

async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (announcedBytesOf(request) > maxBytes) {
    // Reads and discards the rest of the body, so that the client can receive the error response.
    request.resume();
    throw tooLarge(maxBytes);
  }
  const onExcess = (_bytes: number, reject: (error: unknown) => void): void => reject(tooLarge(maxBytes));
  return readBytes(request, { maxBytes, tooLarge: () => tooLarge(maxBytes), onExcess });
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The body may be at most ${Math.floor((maxBytes / MIB) * 100) / 100} MiB.`);
}
