// The callback is a parameter here, and the rule does not recognize it as a function.
/* oxlint-disable jest/valid-describe-callback */
import { describe } from '@jest/globals';

/**
 * `describe` for tests with requirements that not every machine meets. If one is missing, the title says so, and the
 * run lists the tests as skipped.
 *
 * @param missing the missing requirement, such as `no PostgreSQL 15`; `false` if nothing is missing
 */
export function describeWhere(missing: string | false, title: string, tests: () => void): void {
  if (missing === false) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests -- the one place that skips tests
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}
