// What a test file imports from `@jest/globals`. The bindings are those of the file that runs.
export let describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest;

/** Called before each test file, with what the framework made for it. */
export function setGlobals(made) {
  ({ describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest } = made);
}
