import { Readable } from 'node:stream';
import { messageOf } from '#core';
import type { SimulationProgress } from './policy-simulator.js';

/** Whether an `Accept` header requests lines of progress. It must name their media type, with a weight above 0. */
export function acceptsProgress(accept: string | undefined): boolean {
  const wishes = (accept ?? '').toLowerCase().split(',');
  return wishes.some(wish => {
    const [type, ...parameters] = wish.split(';').map(part => part.trim());
    const stated = parameters.find(text => text.startsWith('q='));
    return type === 'application/x-ndjson' && (stated === undefined || Number(stated.slice(2)) > 0);
  });
}

/**
 * Runs work and reports it in lines of JSON: `{ "progress": … }` at the start and then regularly, and `{ "result": …
 * }` at the end. Resolves once the work has started; earlier errors are thrown. A later error aborts the stream, and
 * a reader who disconnects cancels the work.
 */
export async function progressLines(
  work: (signal: AbortSignal, onProgress: (progress: SimulationProgress) => void) => Promise<object>,
  gone: () => Error,
): Promise<Readable> {
  const controller = new AbortController();
  // A few lines a second need no backpressure.
  const stream = new Readable({ read: () => undefined });
  const write = (line: object): boolean => !stream.destroyed && stream.push(`${JSON.stringify(line)}\n`);
  stream.once('close', () => controller.abort(gone()));
  // If the stream is not read yet, the error is thrown below.
  stream.once('error', () => undefined);
  await new Promise<void>((begun, refused) => {
    const onProgress = ({ evaluated, totalEstimate }: SimulationProgress): void => {
      write({ progress: { evaluated, total_estimate: totalEstimate } });
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
