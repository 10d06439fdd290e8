import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Reads a file, and decompresses it if its name ends with .gz. */
export function bytesOf(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path);
  // If one of the streams fails, the other is destroyed with the same error, so the reader of the result gets the
  // error.
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
}
