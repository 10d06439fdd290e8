/** Claimed tasks that have not started, by key. They are either being loaded, or waiting for a slot. */
export class WaitingTasks<Entry extends { readonly key: string }> {
  private readonly queues = new Map<string, Entry[]>();
  private readonly counts = new Map<string, number>();
  /** By key: the number of tasks that are being loaded, and the time of their earliest claim. */
  private readonly loading = new Map<string, { count: number; since: number }>();
  private total = 0;
  private loadingTotal = 0;

  /** Number of all tasks. */
  get size(): number {
    return this.total;
  }

  /** Number of tasks that are being loaded. */
  get loadingSize(): number {
    return this.loadingTotal;
  }

  /** Number of tasks of a key. */
  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Keys with loaded tasks. `take` moves a key to the end, so that an iteration is round-robin. */
  get keys(): Iterable<string> {
    return this.queues.keys();
  }

  /** Keys with tasks that are being loaded, with the clock reading of their earliest claim. */
  *beingLoaded(): Iterable<[key: string, since: number]> {
    for (const [key, { since }] of this.loading) yield [key, since];
  }

  /** Counts a task that is being loaded. */
  expect(key: string, claimedAt: number): void {
    const { count, since } = this.loading.get(key) ?? { count: 0, since: claimedAt };
    this.loading.set(key, { count: count + 1, since: Math.min(since, claimedAt) });
    this.loadingTotal++;
    this.add(key, 1);
  }

  /** Stops counting a task that could not be loaded. */
  dismiss(key: string): void {
    this.loaded(key);
    this.add(key, -1);
  }

  /** Adds a loaded task after the other tasks of its key. */
  put(entry: Entry): void {
    this.loaded(entry.key);
    const queue = this.queues.get(entry.key);
    if (queue) queue.push(entry);
    else this.queues.set(entry.key, [entry]);
  }

  /** Removes and returns the first loaded task of a key. */
  take(key: string): Entry | undefined {
    const queue = this.queues.get(key);
    const entry = queue?.shift();
    if (!queue || !entry) return undefined;
    this.queues.delete(key);
    if (queue.length > 0) this.queues.set(key, queue);
    this.add(key, -1);
    return entry;
  }

  /** Removes and returns all loaded tasks of a key. */
  takeAll(key: string): Entry[] {
    const queue = this.queues.get(key) ?? [];
    this.queues.delete(key);
    this.add(key, -queue.length);
    return queue;
  }

  private loaded(key: string): void {
    this.loadingTotal--;
    const { count = 0, since = 0 } = this.loading.get(key) ?? {};
    if (count > 1) this.loading.set(key, { count: count - 1, since });
    else this.loading.delete(key);
  }

  private add(key: string, difference: number): void {
    const count = this.of(key) + difference;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
    this.total += difference;
  }
}
