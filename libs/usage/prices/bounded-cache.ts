/**
 * Caches values for up to `capacity` keys and evicts the oldest first. A caller that invents keys can therefore not
 * fill the memory.
 */
export class BoundedCache<T> {
  private readonly entries = new Map<string, T>();

  constructor(private readonly capacity: number) {}

  /** Returns the value for a key. Computes it if it is not cached. */
  get(key: string, compute: () => T): T {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const value = compute();
    if (this.entries.size >= this.capacity) {
      const oldest = this.entries.keys().next();
      if (!oldest.done) this.entries.delete(oldest.value);
    }
    this.entries.set(key, value);
    return value;
  }
}

/** Builds one key from a provider and a model. Neither contains the separator NUL. */
export function modelKey(provider: string, model: string): string {
  return `${provider}\0${model}`;
}
