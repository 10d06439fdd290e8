/**
 * Files that took twenty seconds or more on two cores, longest first. If one of them started last, it would keep one
 * worker busy while the others are idle. A missing file only costs this time.
 */
const LONG = [
  'test/campaign/campaign',
  'test/docs/examples',
  'test/e2e/operator-settings',
  'test/fuzz/parsers',
  'test/e2e/role-setups',
  'test/security/openapi-fuzz',
  'test/dashboard/pages',
  'test/e2e/standalone-lifecycle',
  'test/security/canary',
  'test/e2e/standalone',
  'test/faults/processes/killed-api',
  'test/faults/processes/lost-database',
  'test/packaging/hosts',
  'test/scale/failover',
  'test/e2e/uninstall',
  'test/e2e/calls/langchain',
  'test/faults/processes/killed-ticket',
  'test/faults/spend/killed-spenders',
  'test/faults/processes/killed-worker',
  'test/e2e/composition',
  'test/packaging/package',
  'test/packaging/entry-points',
  'test/security/answer-size',
  'test/faults/lifecycle/changes-during-retries',
  'test/faults/processes/killed-caller',
  'test/faults/processes/stopped-worker',
  'test/e2e/traces',
  'test/faults/processes/killed-gateway',
  'test/architecture/dependencies',
  'test/faults/model/webhook-delivery',
  'test/faults/load/ticket-storm',
  'test/hosts/orms',
  'libs/policy/decisions/decision.service',
  'test/contract/sources',
  'test/e2e/usage-series-zones',
  'test/e2e/calls/ai',
  'test/e2e/calls/leaks',
  'test/e2e/rerating',
  'test/e2e/usage-plans',
  'test/faults/load/backlog',
  'test/faults/spend/overspend',
  'test/security/route-matrix',
  'test/faults/lifecycle/keys-under-load',
  'test/faults/load/hanging-endpoints',
  'test/faults/processes/killed-detection',
  'test/docs/webhooks',
  'test/security/import-load',
  'test/faults/load/shared-origin',
  'test/e2e/usage-import',
  'test/contract/lists',
  'test/faults/lifecycle/deletes-under-traffic',
  'test/faults/endpoints/hostile-endpoints',
  'test/e2e/backup',
  'test/faults/endpoints/private-addresses',
  'test/e2e/budgets',
  'test/packaging/embed-page',
  'test/e2e/calls/openai',
  'test/dashboard/estate',
  'test/faults/endpoints/late-platforms',
  'test/e2e/replicas',
  'test/faults/processes/moved-clocks',
  'test/faults/processes/ended-worker',
  'test/demo/demo',
  'test/dashboard/control',
].map(name => `/${name}.spec.ts`);

/** Gives Jest the order of files: first those known to be slow, and then all other files, the largest first. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONG.findIndex(name => path.endsWith(name));
      return at < 0 ? LONG.length : at;
    };
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    return tests.toSorted((a, b) => rank(a) - rank(b) || size(b) - size(a));
  }

  /** The files of part `shardIndex` of `shardCount`. The first part is 1. */
  shard(tests, { shardIndex, shardCount }) {
    const inOrder = tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return inOrder.filter((_, at) => at % shardCount === shardIndex - 1);
  }

  /** The files that `--onlyFailures` keeps. All are kept, because this class stores no results. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
