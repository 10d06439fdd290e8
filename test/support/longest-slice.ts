/** What the event loop did while some work ran. */
export interface Slices {
  /** CPU milliseconds of the longest stretch in which nothing else had a turn: how busy the machine is does not count. */
  readonly longestMs: number;
  /** Turns that others had. */
  readonly turns: number;
}

/** Runs work and measures how long it keeps the event loop to itself. */
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
