/** One kind of thing that people look for by id, name or address. */
export interface SearchKind {
  /** Kind of record, such as `policy`. */
  readonly kind: string;
  /** Scope that the caller needs to find records of this kind. */
  readonly scope: string;
  /**
   * A statement with the columns `id`, `title` and `subtitle` (text or null), of at most five rows. Parameters: `$1`
   * the organization, `$2` the text in lower case, `$3` the text as an id, or null if it is none, `$4` the text as
   * typed, `$5` the text with only ASCII letters in lower case and other letters at the start of words in upper case,
   * as `lower()` leaves names in a database whose collation knows only ASCII letters.
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
