import type { OpenCall } from '#calls';

/** What is written ahead while the provider is at work: most answers are shorter. */
const FIRST_MARK = 256;

/** The most tokens that are written ahead of those that were passed on. */
const LARGEST_STEP = 2_048;

/**
 * The tokens of one call that are written ahead of the answer. Steps grow with the answer, so that a long one costs few
 * writes, and each is asked for early enough that the answer seldom waits.
 */
export class Cover {
  private asked = -1;
  private covered = -1;
  private pending: Promise<void> | undefined;

  /** @param most the most tokens that the answer can have */
  constructor(
    private readonly call: OpenCall,
    private readonly most: number | undefined,
  ) {}

  /** Writes the first tokens ahead. */
  begin(): void {
    this.ask(Math.min(FIRST_MARK, this.most ?? FIRST_MARK));
  }

  /** Undefined where so many tokens are written; otherwise resolves when they are. Rejects where they cannot be. */
  upTo(tokens: number): Promise<void> | undefined {
    if (tokens * 1.25 + 64 > this.asked && this.asked < (this.most ?? Infinity)) {
      const step = Math.min(Math.max(tokens, FIRST_MARK), LARGEST_STEP);
      this.ask(Math.max(Math.min(tokens + step, this.most ?? Infinity), tokens));
    }
    // A provider may send more than it was asked for.
    if (tokens > this.asked) this.ask(tokens);
    return tokens <= this.covered ? undefined : this.pending;
  }

  private ask(mark: number): void {
    this.asked = mark;
    const written = this.call.cover(mark);
    if (!written) {
      this.covered = Math.max(this.covered, mark);
      return;
    }
    this.pending = this.note(mark, written);
    // Whoever waits hears of it; nobody may have to.
    this.pending.catch(() => undefined);
  }

  private async note(mark: number, written: Promise<void>): Promise<void> {
    await written;
    this.covered = Math.max(this.covered, mark);
  }
}
