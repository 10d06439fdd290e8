/** A kind of record that users can search by id, name or address. */
export interface SearchKind {
  /** Kind of record, such as `policy`. */
  readonly kind: string;
  /** Scope that the caller needs to find records of this kind. */
  readonly scope: string;
  /**
   * An SQL statement with the columns `id`, `title` and `subtitle` (text or null), at most five rows. Parameters: `$1`
   * the organization, `$2` the text in lower case, `$3` the text as an id, or null, `$4` the text as typed, `$5` see
   * {@link caseForms}.
   */
  readonly sql: string;
}

/** Registry of the searchable kinds of records. Each library adds its own. */
export class SearchKinds {
  private readonly kinds: SearchKind[] = [];

  /** The kinds that were added. */
  get all(): readonly SearchKind[] {
    return this.kinds;
  }

  /** Adds a kind. Call it during module initialization. */
  add(kind: SearchKind): void {
    this.kinds.push(kind);
  }
}
