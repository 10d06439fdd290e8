/** How a measured task has blocked the event loop. */
export interface Slices {
  /**
   * CPU time of the longest period in which no other task ran, in milliseconds. Independent of the load of the machine.
   */
  readonly longestMs: number;
  /** How many times other tasks ran in between. */
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
