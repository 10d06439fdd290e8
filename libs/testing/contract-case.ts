/** The context that Vitest and `node:test` give to a test. Jest gives none. */
export interface SkippableTest {
  skip?(reason: string): unknown;
}

/** One rule of a contract. */
export interface ContractCase {
  /** The rule as the title of a test, for `it(title, run)`. */
  readonly title: string;
  /**
   * Rejects with an AssertionError of `node:assert` if the rule is broken. Takes up to two seconds. Calls `test.skip`
   * with the reason if the rule does not apply, for example if an adapter has no such method.
   */
  run(test?: SkippableTest): Promise<void>;
}

/** Repeats a check until it passes. After the time limit, fails with the last error. */
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

/** Optional members of every ground. */
export interface Closable {
  /** Called after each case. */
  close?(): Promise<void>;
}

/** The cases of a contract. Each rule gets its own ground. */
export function casesOf<Ground extends Closable>(
  rules: Readonly<Record<string, (ground: Ground) => Promise<void> | void>>,
  makeGround: () => Promise<Ground> | Ground,
): readonly ContractCase[] {
  return Object.entries(rules).map(([title, rule]) => ({
    title,
    async run() {
      const ground = await makeGround();
      try {
        await rule(ground);
      } finally {
        await ground.close?.();
      }
    },
  }));
}
