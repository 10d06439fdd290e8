// The callback is a parameter here, which the rule takes for no function.
/* oxlint-disable jest/valid-describe-callback */
import { describe } from '@jest/globals';

/**
 * `describe` for tests that need what not every machine has. Where it is missing, the title says so, and the run lists
 * the tests as skipped.
 * @param missing what is missing, such as `no PostgreSQL 15`; `false` where all is there
 */
export function describeWhere(missing: string | false, title: string, tests: () => void): void {
  if (missing === false) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests -- the one place that skips tests
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}
