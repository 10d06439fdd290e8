import type { IncomingMessage } from 'node:http';
import { announcedBytesOf, unreadBodyOf, type HttpRequest } from '#access';
import { BadRequestError, inspectJson, messageOf, PayloadTooLargeError, UnsupportedMediaTypeError } from '#core';

const MIB = 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Deeper than any tool schema. Limits the cost of a body of many brackets. */
const MAX_DEPTH = 256;

type RawRequest = HttpRequest & { rawBody?: unknown };

/**
 * The body of a request as it came. If a body parser of the host consumed it: the raw bytes if the host keeps them,
 * otherwise the parsed value, serialized again.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError, BadRequestError
 */
export async function readRawBody(request: RawRequest, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new UnsupportedMediaTypeError('Send the body without content-encoding.');
  }
  const unread = unreadBodyOf(request);
  const bytes = unread ? await readBytes(unread, maxBytes) : parsedBefore(request);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/**
 * The JSON in a body. Rejects duplicate keys, because the provider might read the other one.
 * @throws BadRequestError
 */
export function readJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  const value = parse(text);
  const defect = inspectJson(text, MAX_DEPTH);
  if (!defect) return value;
  const what = 'key' in defect ? `${defect.kind}: ${JSON.stringify(defect.key.slice(0, 100))}` : defect.kind;
  throw new BadRequestError(`The body is refused (${what}).`);
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new BadRequestError('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequestError(`The body is not valid JSON: ${messageOf(error).slice(0, 200)}.`);
  }
}

function parsedBefore({ rawBody, body }: RawRequest): Buffer {
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (announcedBytesOf(request) > maxBytes) {
    // Reads and discards the rest, so that the sender receives the answer.
    request.resume();
    return Promise.reject(tooLarge(maxBytes));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
      }
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const incomplete = (): void => {
      if (!request.readableEnded) reject(new BadRequestError('The body ended before it was complete.'));
    };
    request.once('error', incomplete);
    request.once('close', incomplete);
  });
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The body may be at most ${Math.floor((maxBytes / MIB) * 100) / 100} MiB.`);
}
