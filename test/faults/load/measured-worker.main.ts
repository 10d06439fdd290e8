// A replica that does background work and tells what memory it has. Node runs this file as it is; it needs --expose-gc.
// Node needs the name of the file as it is on the disk; the compiler knows the one of its output alone.
await import(new URL('../processes/worker.main.ts', import.meta.url).href);

/** What a replica takes up, in bytes. */
export interface Memory {
  /** Before anything is collected. */
  rss: number;
  /** What is still in use after a full collection. */
  heap: number;
}

process.on('message', message => {
  // What startHelper sends; there is one command, `memory`.
  const { number } = message as { number: number };
  const { rss } = process.memoryUsage();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ number, result: { rss, heap: heapUsed + external } satisfies Memory });
});
process.send?.('ready');
