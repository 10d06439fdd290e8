import type { IncomingMessage } from 'node:http';
import { BadRequestError, messageOf } from '#core';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Maximum size of a body, and how a larger body is handled. */
export interface BodyLimit {
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  /**
   * Called with each chunk beyond the limit. Default: the rest of the body is read and discarded, and then the error is
   * thrown.
   */
  readonly onExcess?: (bytes: number, reject: (error: unknown) => void) => void;
}

/**
 * Reads a whole body.
 * @throws BadRequestError if the body ends too early
 * @throws Error from `tooLarge` if the body exceeds the limit
 */
export function readBytes(request: IncomingMessage, { maxBytes, tooLarge, onExcess }: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Uses plain events: for such short streams, an async iterator would cost more than all other work.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      onExcess?.(size, reject);
    });
    request.once('end', () => {
      if (size > maxBytes) reject(tooLarge());
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    const incomplete = (): void => {
      // Every request emits `close`, also after a complete body. The error is created only if the body is incomplete.
      if (!request.readableEnded) reject(new BadRequestError('The body ended before it was complete.'));
    };
    request.once('error', incomplete);
    request.once('close', incomplete);
    // A request that has already closed emits no more events.
    if (request.closed) incomplete();
  });
}

/** Decodes a body. @throws BadRequestError unless it is UTF-8 */
export function decodeBody(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new BadRequestError('The body is not valid UTF-8.');
  }
}

/** Parses a JSON body. @throws BadRequestError with the syntax error */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequestError(`The body is not valid JSON: ${messageOf(error)}.`);
  }
}
