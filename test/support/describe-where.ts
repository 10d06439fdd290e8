// The rule does not recognize the callback as a function, because it is a parameter.
/* oxlint-disable jest/valid-describe-callback */
import { describe } from '@jest/globals';

/**
 * `describe` for tests with requirements that not every machine meets. If a requirement is missing, the title says so,
 * and the run lists the tests as skipped.
 * @param missing the missing requirement, such as `no PostgreSQL 15`; `false` if nothing is missing
 */
export function describeWhere(missing: string | false, title: string, tests: () => void): void {
  if (missing === false) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests -- the one place that skips tests
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}
