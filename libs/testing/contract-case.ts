/** One rule of a contract. */
export interface ContractCase {
  /** The rule, as the title of a test: `it(title, run)`. */
  readonly title: string;
  /** Rejects with an AssertionError of `node:assert` where the rule does not hold. Takes up to two seconds. */
  run(): Promise<void>;
}

/** Waits until something is so, as long as it may take; then the last answer is the failure. */
export async function becomes(withinMs: number, holds: () => Promise<void>): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise(done => setTimeout(done, 10));
  }
}
