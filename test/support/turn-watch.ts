/** How a measured task has blocked the main thread. */
export interface Turns {
  /** The largest CPU time of the thread between two turns of the event loop, in milliseconds. */
  longest: number;
}

/**
 * Measures how long a task blocks the event loop. Counts CPU time of the thread and not elapsed time, which depends on
 * the load of the machine.
 */
export async function watchTurns<T>(work: () => Promise<T>): Promise<Turns & { result: T }> {
  let longest = 0;
  let last = threadMs();
  let isRunning = true;
  const look = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(look);
  };
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { longest, result };
  } finally {
    isRunning = false;
  }
}

/** CPU time of this thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
