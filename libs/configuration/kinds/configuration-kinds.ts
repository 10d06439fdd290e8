import type { ConfigurationKind } from './configuration-kind.port.js';

/** The kinds of configuration of all composed libraries. */
export class ConfigurationKinds {
  private readonly kinds: ConfigurationKind[] = [];

  /** All kinds, in the order in which they are applied. */
  get all(): readonly ConfigurationKind[] {
    return this.kinds;
  }

  /** Adds a kind; called while the module is initialized. @throws Error if another kind has the key */
  add(kind: ConfigurationKind): void {
    if (this.named(kind.kind)) throw new Error(`There are two kinds of configuration "${kind.kind}".`);
    this.kinds.push(kind);
    this.kinds.sort((a, b) => a.rank - b.rank);
  }

  /** The kind with the key, if its library is composed. */
  named(kind: string): ConfigurationKind | undefined {
    return this.kinds.find(each => each.kind === kind);
  }
}
