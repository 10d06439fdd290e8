const LISTS_MAX = 200;

/** What is known of a list as long as nothing changes that it depends on. */
export interface KnownList {
  readonly totalResults: number;
  /** Ids at places of the list that lie equally far apart, where somebody has asked for a page far inside. */
  places?: string[];
}

/** The lists that were asked for last, by keys that name their version: whatever is known under a key stays true. */
export class KnownLists {
  private readonly lists = new Map<string, KnownList>();

  /** The list of that key, counted where it is not known. */
  async of(key: string, count: () => Promise<number>): Promise<KnownList> {
    const found = this.lists.get(key);
    if (found) return found;
    const list: KnownList = { totalResults: await count() };
    const [oldest] = this.lists.keys();
    if (this.lists.size >= LISTS_MAX && oldest !== undefined) this.lists.delete(oldest);
    this.lists.set(key, list);
    return list;
  }
}
