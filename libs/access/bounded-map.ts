/** A map that forgets its least recently used entry when it is full, so that no caller can make it grow. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.capacity) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
  }

  /** Forgets every entry that the rule names. */
  deleteWhere(rule: (value: V) => boolean): void {
    for (const [key, value] of this.entries) if (rule(value)) this.entries.delete(key);
  }

  get size(): number {
    return this.entries.size;
  }
}
