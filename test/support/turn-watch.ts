/** What the main thread did while a piece of work ran. */
export interface Turns {
  /** Most processor time of the thread between two turns of the event loop, in milliseconds. */
  longest: number;
}

/**
 * Measures how long work keeps the event loop to itself. It counts the thread's processor time, not the clock: on a
 * machine that is busy with other processes the clock says how busy they are.
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

/** Processor time of this thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
