import { Readable } from 'node:stream';
import { messageOf } from '#core';
import type { HttpRequest } from '../request/http-request.js';

/** Media type of lines of progress. */
export const PROGRESS_LINES = 'application/x-ndjson';

/**
 * Whether an `Accept` header requests lines of progress. The header must name their media type with a weight above 0.
 */
export function acceptsProgress(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',');
  return ranges.some(range => {
    const [type, ...parameters] = range.split(';').map(part => part.trim());
    const stated = parameters.find(text => text.startsWith('q='));
    return type === PROGRESS_LINES && (stated === undefined || Number(stated.slice(2)) > 0);
  });
}

/**
 * Runs work and reports it in lines of JSON: `{ "progress": … }` for each call of `onProgress`, and `{ "result": … }`
 * at the end. Resolves when the first line is written. An error before the first line is thrown. A later error aborts
 * the stream. If the client disconnects, the work is canceled.
 */
export async function progressLines(
  work: (signal: AbortSignal, onProgress: (progress: object) => void) => Promise<object>,
  gone: () => Error,
): Promise<Readable> {
  const controller = new AbortController();
  // A few lines a second need no backpressure.
  const stream = new Readable({ read: () => undefined });
  const write = (line: object): boolean => !stream.destroyed && stream.push(`${JSON.stringify(line)}\n`);
  stream.once('close', () => controller.abort(gone()));
  // Without a listener, an error before the first line would end the process. The promise below passes the error to the
  // caller.
  stream.once('error', () => undefined);
  await new Promise<void>((begun, refused) => {
    const onProgress = (progress: object): void => {
      write({ progress });
      begun();
    };
    const run = async (): Promise<void> => {
      try {
        write({ result: await work(controller.signal, onProgress) });
        stream.push(null);
        begun();
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(messageOf(error));
        refused(failure);
        stream.destroy(failure);
      }
    };
    void run();
  });
  return stream;
}

/** Runs work whose signal is aborted when the client closes its connection. */
export async function whileConnected<T>(
  request: HttpRequest,
  gone: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(gone());
  // The request emits "close" as soon as its body is read. The end of the connection is only visible on the socket.
  const socket = request.raw?.socket ?? request.socket;
  const isEmitter = socket !== undefined && 'once' in socket;
  if (isEmitter) socket.once('close', abort);
  try {
    return await work(controller.signal);
  } finally {
    if (isEmitter) socket.removeListener('close', abort);
  }
}
