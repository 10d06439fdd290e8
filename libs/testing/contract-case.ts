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

/** What every ground of a contract may have. */
export interface Closable {
  /** Called after each case. */
  close?(): Promise<void>;
}

/** The cases of a contract: each rule with a ground of its own. */
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
