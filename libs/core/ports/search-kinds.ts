/** One kind of thing that people look for by id, name or address. */
export interface SearchKind {
  /** What is found, such as `policy`. */
  readonly kind: string;
  /** Scope that opens it. */
  readonly scope: string;
  /**
   * A statement with the columns `id`, `title` and `subtitle` (text or null), of at most five rows. Its parameters: `$1`
   * the organization, `$2` the text in lower case, `$3` the id that the text is, or null, `$4` the text as it came,
   * `$5` the text in the other of its `caseForms`.
   */
  readonly sql: string;
}

/** The kinds of things that can be looked for, told by the libraries that keep them. */
export class SearchKinds {
  private readonly kinds: SearchKind[] = [];

  /** The kinds that were added. */
  get all(): readonly SearchKind[] {
    return this.kinds;
  }

  /** Adds a kind; to be called while the module is initialized. */
  add(kind: SearchKind): void {
    this.kinds.push(kind);
  }
}
