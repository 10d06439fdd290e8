// A replica that does background work and reports its memory. Node runs this file without a build; it needs
// --expose-gc. Node resolves the import by the file name on disk, while the compiler only knows the name of its output.
await import(new URL('../processes/worker.main.ts', import.meta.url).href);

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
