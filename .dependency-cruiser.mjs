/**
 * The libraries that each library may import. Add one line for a new library. Features (policy, usage, users, …) never
 * import each other. They use ports of core.
 */
const FEATURES = {
  core: [],
  wire: ['core'],
  client: [],
  database: ['core'],
  secrets: ['core', 'database'],
  egress: ['core'],
  scheduler: ['core', 'database'],
  outbox: ['core', 'database', 'scheduler'],
  access: ['core', 'database', 'scheduler'],
  configuration: ['core', 'database', 'access'],
  incidents: ['core', 'database', 'access', 'outbox'],
  policy: ['core', 'database', 'scheduler', 'access', 'configuration', 'outbox', 'incidents'],
  usage: ['core', 'database', 'scheduler', 'access', 'configuration', 'outbox'],
  anomalies: ['core', 'database', 'scheduler', 'access', 'configuration', 'outbox', 'incidents'],
  users: ['core', 'database', 'access', 'secrets', 'outbox'],
  itsm: ['core', 'database', 'scheduler', 'access', 'configuration', 'secrets', 'egress', 'outbox', 'incidents'],
  calls: ['core', 'database', 'scheduler', 'access', 'outbox', 'policy', 'usage'],
  gateway: ['core', 'database', 'scheduler', 'access', 'outbox', 'secrets', 'egress', 'calls', 'wire'],
  // database: the base class of a library module.
  integrations: ['core', 'database', 'access', 'policy', 'usage'],
  // From calls they import only types: they must load neither Nest nor the ORM.
  sdks: ['core', 'calls', 'wire'],
  dashboard: ['core', 'database', 'access'],
  siem: ['core', 'database', 'scheduler', 'access', 'egress', 'outbox', 'incidents'],
  webhooks: ['core', 'database', 'scheduler', 'access', 'configuration', 'secrets', 'egress', 'outbox', 'incidents'],
};

const OWN_ENTRY_POINTS = new Set(['client', 'sdks']);
const COMPOSED = Object.keys(FEATURES).filter(library => !OWN_ENTRY_POINTS.has(library));

export const MAY_KNOW = {
  ...FEATURES,
  governance: COMPOSED,
  // Replaces all of them in the tests of hosts.
  testing: [...COMPOSED, 'governance'],
};

/**
 * Folders with decision code: pure functions. They may import `#core`, `node:crypto` and the entries listed here:
 * another such folder, or a package with the domain logic.
 */
export const DECISION_LAYERS = {
  'libs/egress/addresses': ['ipaddr.js'],
  'libs/siem/ocsf': [],
  'libs/wire': ['eventsource-parser'],
  'libs/outbox/events': [],
  'libs/policy/decide': [],
  'libs/users/devices/certificates': ['@peculiar/x509', 'reflect-metadata'],
  'libs/webhooks/decide': ['lru-cache'],
  'libs/itsm/adapter': [],
  'libs/itsm/decide': ['libs/itsm/adapter'],
  'libs/usage/periods': [],
  'libs/usage/windows': ['temporal-polyfill'],
  'libs/access/csv': ['csv-parse', 'csv-stringify'],
  'libs/anomalies/detect': [],
  'libs/usage/prices': ['@pydantic/genai-prices'],
  'libs/users/scim/protocol': [],
  'libs/users/scim/schemas': ['libs/users/scim/protocol'],
  'libs/usage/figures': ['libs/usage/prices'],
  'libs/usage/events': ['libs/usage/periods', 'libs/usage/prices', '@pydantic/genai-prices'],
};

/**
 * The folders of libs/policy, and which of the others each may import. A decision goes down: decisions, records,
 * database. Approvals implement ports of decisions and records, so they are above both.
 */
const POLICY_LAYERS = {
  decide: [],
  records: ['decide'],
  policies: ['decide'],
  history: ['decide', 'policies'],
  hits: ['decide', 'records', 'policies'],
  decisions: ['decide', 'records', 'policies'],
  approvals: ['decide', 'records', 'decisions'],
  explain: ['decide', 'records', 'policies', 'history', 'decisions', 'approvals'],
  simulation: ['decide', 'records', 'policies', 'decisions'],
  'in-memory': ['decide', 'records', 'policies', 'decisions'],
};

/** The folders of the dashboard, and which of the others each may import. */
const PAGE_LAYERS = {
  data: [],
  parts: ['data'],
  charts: ['data', 'parts'],
  shell: ['data', 'parts'],
  pages: ['data', 'parts', 'charts'],
};

const TESTS = '\\.spec\\.ts$';
const LIBRARIES = Object.keys(MAY_KNOW).join('|');

const orderOfLibraries = Object.entries(MAY_KNOW).map(([library, known]) => ({
  name: `${library}-knows-only-${known.length > 0 ? 'what-is-below' : 'itself'}`,
  comment: `libs/${library} may know ${known.length > 0 ? known.join(', ') : 'no other library'}.`,
  severity: 'error',
  from: { path: `^libs/${library}/`, pathNot: TESTS },
  to: { path: '^(libs|apps|test)/', pathNot: `^libs/(${[library, ...known].join('|')})/` },
}));

const decisionLayers = Object.entries(DECISION_LAYERS).map(([folder, others]) => ({
  name: `${folder.replace('libs/', '').replaceAll('/', '-')}-decides-without-a-process`,
  comment: `${folder} imports only ${['#core', 'node:crypto', ...others].join(', ')}.`,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: TESTS },
  to: {
    pathNot: [`^${folder}/`, '^libs/core/', '^(node:)?crypto$', ...others.map(other => `(^|node_modules/)${other}/`)],
  },
}));

const orderOfPolicyLayers = Object.entries(POLICY_LAYERS).map(([layer, known]) => ({
  name: `policy-${layer}-knows-only-what-is-below`,
  comment: `libs/policy/${layer} may know ${known.length > 0 ? known.join(', ') : 'no other folder'} of libs/policy.`,
  severity: 'error',
  from: { path: `^libs/policy/${layer}/`, pathNot: TESTS },
  to: { path: '^libs/policy/[^/]+/', pathNot: `^libs/policy/(${[layer, ...known].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...orderOfLibraries,
    {
      name: 'every-library-is-in-the-table',
      comment: 'A folder under libs/ that MAY_KNOW does not name would be checked by nothing.',
      severity: 'error',
      from: { path: '^libs/', pathNot: `^libs/(${LIBRARIES})/` },
      to: {},
    },
    {
      name: 'libraries-only-by-their-entry-point',
      comment: 'Inside the package another library is reached by #name, never by a path into it.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/(in-memory/)?index\\.ts$'] },
    },
    {
      name: 'entry-points-are-not-relative',
      comment: 'The entry point is #name: a relative path to another library’s index.ts goes around it.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: '^libs/$1/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'in-memory-for-tests-of-hosts-only',
      comment: 'What stands in the place of a database must never run where there is one.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/(testing|[^/]+/in-memory)/' },
      to: { path: '^libs/[^/]+/in-memory/' },
    },
    ...decisionLayers,
    ...orderOfPolicyLayers,
    {
      name: 'core-knows-no-package',
      comment: 'core imports nothing but itself and Node: no Nest, no ORM, no package at all.',
      severity: 'error',
      from: { path: '^libs/core/', pathNot: TESTS },
      to: { pathNot: '^libs/core/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'client-knows-the-web-only',
      comment: 'The client runs in browsers and edge runtimes: it imports neither a package nor a module of Node.',
      severity: 'error',
      from: { path: '^libs/client/', pathNot: TESTS },
      to: { pathNot: '^libs/client/' },
    },
    {
      name: 'records-know-no-nest',
      comment: 'An entity says what is always true of a row; injection and HTTP are not.',
      severity: 'error',
      from: { path: '^libs/.+\\.entity\\.ts$' },
      to: { path: '(^|/)node_modules/@nestjs/' },
    },
    {
      name: 'apps-use-the-public-entry-points',
      comment:
        'An app imports nest-llm-governance and its entry points by name, as any host does; neither #name nor a path.',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: '^libs/', dependencyTypes: ['local', 'aliased'] },
    },
    {
      name: 'apps-go-no-deeper-than-the-entry-points',
      comment: 'The entry points are the exports of package.json.',
      severity: 'error',
      from: { path: '^apps/' },
      to: {
        path: '^libs/',
        pathNot:
          '^libs/(anomalies|client|governance|incidents|itsm|policy|testing|usage|users|webhooks|sdks/[^/]+)/index\\.ts$',
      },
    },
    {
      name: 'examples-stand-alone',
      comment: 'An example is what a reader copies: it knows the package and nothing else of this repository.',
      severity: 'error',
      from: { path: '^apps/examples/([^/]+)/' },
      to: { path: '^(apps|test|scripts)/', pathNot: '^apps/examples/$1/' },
    },
    ...Object.entries(PAGE_LAYERS).map(([layer, known]) => ({
      name: `page-${layer}-knows-only-what-is-below`,
      comment: `apps/dashboard/src/${layer} may know ${known.length > 0 ? known.join(', ') : 'nothing else of the page'}.`,
      severity: 'error',
      from: { path: `^apps/dashboard/src/${layer}/` },
      to: { path: '^apps/dashboard/src/', pathNot: `^apps/dashboard/src/(${[layer, ...known].join('|')})/` },
    })),
    {
      name: 'pages-know-no-other-page',
      comment: 'Pages meet in parts, charts and data.',
      severity: 'error',
      from: { path: '^apps/dashboard/src/pages/([^/]+)/' },
      to: { path: '^apps/dashboard/src/pages/', pathNot: '^apps/dashboard/src/pages/$1/' },
    },
    {
      name: 'the-page-knows-the-client-only',
      comment:
        'The page is an application of the API: it imports nest-llm-governance/client and nothing else of the package.',
      severity: 'error',
      from: { path: '^apps/dashboard/' },
      to: { path: '^(libs|apps|test|scripts)/', pathNot: '^(apps/dashboard|libs/client)/' },
    },
    {
      name: 'no-cycle',
      comment: 'Modules that need one another are one module, or lack a third. Types count.',
      severity: 'error',
      from: { path: '^(libs|apps)/' },
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      comment: 'What is not found cannot be checked. Benchmarks and test hosts bring packages, which may be missing.',
      severity: 'error',
      from: { pathNot: '^test/(bench|hosts)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'shipped-code-needs-no-dev-dependency',
      comment: 'What is published may import only what package.json gives its user.',
      severity: 'error',
      from: { path: '^(libs|apps/standalone)/', pathNot: TESTS },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '(^|/)node_modules/.+/node_modules/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@nest-llm-governance/source', 'node', 'import', 'types', 'default'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
    moduleSystems: ['es6', 'cjs'],
  },
};
