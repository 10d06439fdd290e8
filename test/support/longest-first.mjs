/**
 * Files that take ten seconds or more, the longest first. Begun last, one of them would keep a single worker busy while
 * the others have nothing left to do. A file that is missing here costs that time and nothing else.
 */
const LONG = [
  'test/faults/processes/lost-database',
  'test/faults/processes/killed-api',
  'test/faults/processes/killed-worker',
  'test/security/openapi-fuzz',
  'test/faults/model/webhook-delivery',
  'test/faults/lifecycle/changes-during-retries',
  'test/e2e/standalone-lifecycle',
  'test/e2e/usage-bodies',
  'test/faults/load/hanging-endpoints',
  'test/e2e/traces',
  'test/faults/processes/stopped-worker',
  'test/e2e/standalone',
  'test/contract/events',
  'test/docs/examples',
  'test/faults/spend/killed-spenders',
  'test/faults/endpoints/hostile-endpoints',
  'test/e2e/webhooks',
  'test/packaging/package',
  'test/faults/endpoints/private-addresses',
  'test/faults/processes/schedule',
  'test/faults/load/shared-origin',
  'test/faults/spend/overspend',
  'test/faults/lifecycle/deletes-under-traffic',
  'test/faults/processes/moved-clocks',
  'test/faults/lifecycle/keys-under-load',
  'test/faults/processes/ended-worker',
  'test/e2e/rerating',
  'test/e2e/usage-plans',
].map(name => `/${name}.spec.ts`);

/** Gives Jest the order of files: those that are known to take long, then the others, the biggest first. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONG.findIndex(name => path.endsWith(name));
      return at < 0 ? LONG.length : at;
    };
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    return tests.toSorted((a, b) => rank(a) - rank(b) || size(b) - size(a));
  }

  /** Part `shardIndex`, counted from 1, of `shardCount`. */
  shard(tests, { shardIndex, shardCount }) {
    const inOrder = tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return inOrder.filter((_, at) => at % shardCount === shardIndex - 1);
  }

  /** What `--onlyFailures` keeps: this order remembers nothing, and keeps all. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
