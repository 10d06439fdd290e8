// A replica that does background work and reports its memory. It needs --expose-gc.
import '../processes/worker.main.js';

/** The memory of a replica, in bytes. */
export interface Memory {
  /** Before garbage collection. */
  rss: number;
  /** After a full garbage collection. */
  heap: number;
}

process.on('message', message => {
  // The commands of startHelper. There is only `memory`.
  const { number } = message as { number: number };
  const { rss } = process.memoryUsage();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ number, result: { rss, heap: heapUsed + external } satisfies Memory });
});
process.send?.('ready');
