// The exports of `@jest/globals` for test files. The exports change with each test file.
export let describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest;

/** Called before each test file, with the functions that the framework created for it. */
export function setGlobals(made) {
  ({ describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest } = made);
}
