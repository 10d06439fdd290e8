// The exports of `@jest/globals` for test files. The bindings belong to the running file.
export let describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest;

/** Called before each test file, with the functions that the framework created for it. */
export function setGlobals(made) {
  ({ describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach, jest } = made);
}
