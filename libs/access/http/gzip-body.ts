import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BadRequestError, UnsupportedMediaTypeError } from '#core';

const unzip = promisify(gunzip);
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';

/** Whether a body is compressed. @throws UnsupportedMediaTypeError if the route does not accept this encoding */
export function isGzip(encoding: string | undefined, isAllowed = false): boolean {
  if (encoding === undefined || encoding === 'identity') return false;
  if (isAllowed && encoding === 'gzip') return true;
  const others = isAllowed ? 'with content-encoding: gzip, or without content-encoding' : 'without content-encoding';
  throw new UnsupportedMediaTypeError(`Send the body ${others}.`);
}

/**
 * Decompresses a body up to a limit, outside the event loop.
 * @param tooLarge creates the error for a larger body
 * @throws BadRequestError if it is not valid gzip
 */
export async function inflated(bytes: Buffer, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TOO_LARGE) throw tooLarge();
    throw new BadRequestError('The body is not valid gzip.');
  }
}
