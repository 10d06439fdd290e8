// A replica that does background work and reports its memory. It needs --expose-gc.
import '../processes/worker.main.js';

/** The memory of a replica, in bytes. */
export interface Memory {
  /** The memory before garbage collection. */
  rss: number;
  /** The memory after a full garbage collection. */
  heap: number;
}

process.on('message', message => {
  // The parent sends commands in the format of startHelper. The only command is `memory`.
  const { number } = message as { number: number };
  const { rss } = process.memoryUsage();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ number, result: { rss, heap: heapUsed + external } satisfies Memory });
});
process.send?.('ready');
