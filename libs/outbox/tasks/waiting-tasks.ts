/** Tasks that were claimed ahead and are not begun: those being loaded, and those that wait for a slot, key by key. */
export class WaitingTasks<Entry extends { readonly key: string }> {
  private readonly queues = new Map<string, Entry[]>();
  private readonly counts = new Map<string, number>();
  /** Tasks of a key that are being loaded, and when the first of them was claimed. */
  private readonly loading = new Map<string, { count: number; since: number }>();
  private total = 0;
  private loadingTotal = 0;

  /** How many there are. */
  get size(): number {
    return this.total;
  }

  /** How many of them are being loaded. */
  get loadingSize(): number {
    return this.loadingTotal;
  }

  /** How many there are of a key. */
  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Keys of which some are loaded. One of which a task is taken goes to the end: whoever walks through takes in turn. */
  get keys(): Iterable<string> {
    return this.queues.keys();
  }

  /** Keys of which tasks are being loaded, with the reading of the clock when the first of them was claimed. */
  *beingLoaded(): Iterable<[key: string, since: number]> {
    for (const [key, { since }] of this.loading) yield [key, since];
  }

  /** Counts one that is being loaded. */
  expect(key: string, claimedAt: number): void {
    const { count, since } = this.loading.get(key) ?? { count: 0, since: claimedAt };
    this.loading.set(key, { count: count + 1, since: Math.min(since, claimedAt) });
    this.loadingTotal++;
    this.add(key, 1);
  }

  /** One that was expected will not come. */
  dismiss(key: string): void {
    this.loaded(key);
    this.add(key, -1);
  }

  /** Puts one that was expected behind those of its key. */
  put(entry: Entry): void {
    this.loaded(entry.key);
    const queue = this.queues.get(entry.key);
    if (queue) queue.push(entry);
    else this.queues.set(entry.key, [entry]);
  }

  /** Takes the first of a key that is loaded. */
  take(key: string): Entry | undefined {
    const queue = this.queues.get(key);
    const entry = queue?.shift();
    if (!queue || !entry) return undefined;
    this.queues.delete(key);
    if (queue.length > 0) this.queues.set(key, queue);
    this.add(key, -1);
    return entry;
  }

  /** Takes all of a key that are loaded. */
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
