/** A model name, or a pattern in which `*` stands for any characters. Compared without case. */
export class ModelPattern {
  private readonly parts: readonly string[];

  constructor(pattern: string) {
    this.parts = pattern.trim().toLowerCase().split('*');
  }

  /** Whether the pattern names exactly one model. */
  get isExact(): boolean {
    return this.parts.length === 1;
  }

  /** Number of fixed characters of the pattern. A pattern with more fixed characters is more specific. */
  get literalLength(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** The time is linear in the length of the name for every pattern. */
  matches(model: string): boolean {
    const name = model.trim().toLowerCase();
    const first = this.parts[0] ?? '';
    if (this.isExact) return name === first;
    const last = this.parts.at(-1) ?? '';
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    const end = name.length - last.length;
    let from = first.length;
    for (const part of this.parts.slice(1, -1)) {
      const at = name.indexOf(part, from);
      if (at === -1 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  }
}
