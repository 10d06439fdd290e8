/** The work of the event loop during a measured task. */
export interface Slices {
  /** CPU milliseconds of the longest stretch without another task. The load of the machine does not count. */
  readonly longestMs: number;
  /** The number of turns that other tasks had. */
  readonly turns: number;
}

/** Runs a task and measures how long it blocks the event loop. */
export async function measureSlices(work: () => Promise<unknown>): Promise<Slices> {
  let longest = 0;
  let turns = 0;
  let before = process.threadCpuUsage();
  let isRunning = true;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, user + system);
    turns++;
    before = process.threadCpuUsage();
    if (isRunning) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isRunning = false;
  }
  look();
  return { longestMs: longest / 1_000, turns };
}
