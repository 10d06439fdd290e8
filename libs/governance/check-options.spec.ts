import { describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { PolicyModule, UsageModule } from '#governance';
import { checkAsyncRoot, checkedValues, checkRoot, InvalidGovernanceOptionsError } from './check-options.js';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import { GovernanceModule } from './governance.module.js';
import { STRUCTURE_RULES, VALUE_RULES, type GovernanceOptions } from './governance.options.js';

const SECRET = 'hunter2-do-not-print';
const KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
const provider = { issuer: 'https://id.example.com', audience: 'governance', jwksUri: 'https://id.example.com/keys' };

/** Options that contain every field that a host can set. */
const FULL: { [K in keyof Required<GovernanceOptions>]: Required<GovernanceOptions>[K] } = {
  database: {
    url: 'postgres://app:pw@127.0.0.1:5432/shop?sslmode=disable',
    migrationUrl: 'postgresql://owner:pw@127.0.0.1/shop',
    migrations: 'run',
    poolSize: 2,
    queryTimeoutMs: 9_000,
    preparedStatements: false,
    reportsUrl: 'postgres://app:pw@127.0.0.1/shop',
    reportsMaxAgeSeconds: 30,
    changes: { pollIntervalMs: 100, listen: false, listenUrl: 'postgres://app:pw@127.0.0.1/shop' },
  },
  keys: KEYS,
  auditRetentionDays: 365,
  requestsPerMinute: 0,
  failedSignInsPerMinute: 10,
  trustedProxies: ['10.0.0.0/8', 'loopback'],
  identityProviders: [
    {
      ...provider,
      algorithms: ['ES256'],
      organizationId: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60',
      claims: { organization: 'org', user: 'mail', role: 'roles' },
      trustEmail: true,
      unknownSubjects: 'accept',
      tokenType: 'at+jwt',
      roles: { boss: 'admin' },
    },
  ],
  oidc: {
    providers: [
      {
        ...{ id: 'okta', name: 'Okta', issuer: 'https://id.example.com', clientId: 'dashboard', clientSecret: SECRET },
        organizationId: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60',
        claims: { organization: 'org', user: 'mail', role: 'groups' },
        trustEmail: true,
        roles: { operators: 'admin' },
        roleFrom: 'claim',
        defaultRole: 'member',
        scopes: 'openid email groups',
        prompt: 'select_account',
        clockToleranceSeconds: 5,
        signOut: 'dashboard',
      },
    ],
    clientSecret: SECRET,
    publicUrl: 'https://governance.example.com',
  },
  decisions: { defaultAction: 'block', unknownUser: 'evaluate', retentionDays: 30, sampleAllowed: 0.5 },
  approvals: { defaultHours: 1, pendingDays: 2, requirePerson: true },
  usage: { retentionDays: 97, focusExportDir: '/exports' },
  budgets: { assumedInputTokens: 0, assumedOutputTokens: 5, reservationMinutes: 1 },
  calls: { onUnavailable: 'allow', organizationId: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' },
  gateway: {
    maxBodyBytes: 1_048_576,
    connectTimeoutMs: 1_000,
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 30_000,
    retries: 0,
    shutdownGraceMs: 0,
  },
  anomalies: { retentionDays: 30 },
  incidents: { windowMinutes: 5 },
  outbox: { workers: false, pollIntervalMs: 500, retentionDays: 3 },
  devices: { certificateDays: 30, publicUrl: 'https://governance.example.com/api', revokeOnDeparture: true },
  webhooks: { serviceName: 'Acme-AI', concurrency: 8, concurrencyPerWebhook: 2, auditAnchorHours: 0 },
  itsm: {
    serviceName: 'Acme Desk',
    publicUrl: 'http://localhost:3000',
    dashboardUrl: 'http://localhost:3000/dashboard',
    concurrency: 4,
    concurrencyPerConnector: 1,
    reconcileMinutes: 60,
    chatReplyOrigins: ['https://slack-proxy.example.com'],
    slackApiOrigin: 'https://slack-gov.com',
  },
  siem: {
    folder: '/var/audit',
    syslog: 'tls://siem.example.com:6514',
    syslogCa: '-----BEGIN CERTIFICATE-----',
    url: 'https://collector.example.com/ingest',
    token: 'abc',
    header: 'X-Api-Key: abc',
    format: 'json',
    name: 'main',
  },
  egress: { allow: ['webhooks=10.0.0.0/8:443'], nameServers: ['9.9.9.9:53'], connectionsPerOrigin: 4 },
};

/** The lines of an error's message. */
function faultsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidGovernanceOptionsError)) throw error;
    for (const fault of error.faults) expect(error.message).toContain(`- ${fault}`);
    return error.faults;
  }
}

const faultsOfValues = (values: unknown): readonly string[] => faultsOf(() => checkedValues(values));

/** The paths of all options. For a list, the path of its first entry. */
function pathsOf(value: object): string[][] {
  return Object.entries(value).flatMap(([name, inside]: [string, unknown]) => {
    const isSection = typeof inside === 'object' && inside !== null && !Array.isArray(inside);
    return [[name]].concat(isSection ? pathsOf(inside).map(path => [name].concat(path)) : []);
  });
}

/** The full options with one option changed. */
function changed(path: readonly string[], change: (section: Record<string, unknown>, name: string) => void): object {
  const options = structuredClone(FULL) as unknown as Record<string, unknown>;
  let section = options;
  for (const name of path.slice(0, -1)) section = section[name] as Record<string, unknown>;
  change(section, path.at(-1) ?? '');
  return options;
}

const PATHS = pathsOf(FULL).map(path => [path.join('.'), path] as const);

describe('the values of the module', () => {
  it('pass if every option is given, and if only the required ones are', () => {
    expect(faultsOfValues(FULL)).toEqual([]);
    expect(faultsOfValues({ database: { url: FULL.database.url }, keys: KEYS })).toEqual([]);
    expect(faultsOfValues({ ...FULL, usage: undefined, requestsPerMinute: undefined })).toEqual([]);
  });

  it('have a rule and an example for each option', () => {
    expect(Object.keys(FULL).toSorted()).toEqual(Object.keys(VALUE_RULES).toSorted());
  });

  it.each(PATHS)('are refused if %s has another type, without its value', (path, at) => {
    for (const wrong of [{ [SECRET]: SECRET, length: -1 }, Symbol(SECRET), null, () => SECRET]) {
      const values = changed(at, (section, name) => (section[name] = wrong));
      const faults = faultsOfValues(values);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.every(fault => fault.startsWith(path))).toBe(true);
      if (typeof wrong !== 'object' || wrong === null) expect(faults.join('\n')).not.toContain(SECRET);
    }
  });

  it.each(PATHS)('are refused with the name if %s is misspelt', (path, at) => {
    const values = changed(at, (section, name) => {
      section[`${name}x`] = section[name];
      delete section[name];
    });
    expect(faultsOfValues(values)).toContain(`${path}x: unknown option; did you mean ${path}?`);
  });

  it('are refused if none is given, with the names of the missing ones and what to set', () => {
    expect(faultsOfValues({})).toEqual([
      expect.stringMatching(/^database\.url: missing\. Set GovernanceModule options\.database\.url to /),
      'keys: missing. Set GovernanceModule options.keys to "id:<base64 of 32 bytes>" (openssl rand -base64 32)',
    ]);
  });

  it.each([undefined, null, 'k1:…'])('are refused if the factory returns %p', returned => {
    expect(faultsOfValues(returned)).toEqual([expect.stringMatching(/^options: the factory returned/)]);
  });

  it.each([
    [{ keys: SECRET }, 'keys: entry 1 is not'],
    [{ keys: `k1:${SECRET}` }, 'keys: entry 1 is not'],
    [{ keys: [SECRET] }, 'keys: must be a text'],
    [{ database: `postgres://app:${SECRET}@db/shop` }, 'database: must be an object, and is a string'],
    [{ database: { url: SECRET } }, 'database.url: must be a URL such as postgres://'],
    [{ database: { url: `mysql://app:${SECRET}@db/shop` } }, 'database.url: must be a URL such as postgres://'],
    [{ database: { url: 'postgres://db/a', migrationUrl: SECRET } }, 'database.migrationUrl: must be a URL'],
  ])('never show a secret: error %#', (values, expected) => {
    const faults = faultsOfValues({ database: { url: 'postgres://db/a' }, keys: KEYS, ...values });
    expect(faults).toEqual([expect.stringContaining(expected)]);
    expect(faults.join()).not.toContain(SECRET);
  });

  it.each([
    [
      { requestsPerMinute: '600' },
      'requestsPerMinute: must be a whole number from 0 to 1000000000 (0 turns the limit off), and is a string',
    ],
    [
      { incidents: { windowMinutes: 525_601 } },
      'incidents.windowMinutes: must be a whole number from 1 to 525600, and is 525601',
    ],
    [
      { usage: { retentionDays: 96 } },
      'usage.retentionDays: must be a whole number from 97 to 1000000 (events may be 90 days old when they come), and is 96',
    ],
    [{ decisions: { sampleAllowed: 1.1 } }, 'decisions.sampleAllowed: must be a number from 0 to 1, and is 1.1'],
    [
      { decisions: { defaultAction: 'permit' } },
      'decisions.defaultAction: must be one of block, require_approval, alert, allow, and is a string',
    ],
    [{ approvals: { pendingDays: 366 } }, 'approvals.pendingDays: must be a whole number from 1 to 365, and is 366'],
    [{ approvals: { defaultHours: 1.5 } }, 'approvals.defaultHours: must be a whole number from 1 to 2160, and is 1.5'],
    [
      { budgets: { reservationMinutes: Number.NaN } },
      'budgets.reservationMinutes: must be a whole number from 1 to 10080, and is NaN',
    ],
    [
      { outbox: { pollIntervalMs: 2 ** 31 } },
      'outbox.pollIntervalMs: must be a whole number from 1 to 2147483647, and is 2147483648',
    ],
    [
      { devices: { certificateDays: 826 } },
      'devices.certificateDays: must be a whole number from 1 to 825, and is 826',
    ],
    [
      { devices: { publicUrl: 'https://a@example.com' } },
      'devices.publicUrl: must be an http or https URL such as https://governance.example.com, and is a string',
    ],
    [
      { itsm: { chatReplyOrigins: ['https://hooks.slack.com/commands'] } },
      'itsm.chatReplyOrigins: "https://hooks.slack.com/commands" is not an origin such as https://hooks.slack.com',
    ],
    [
      { itsm: { slackApiOrigin: 'http://slack-gov.com' } },
      'itsm.slackApiOrigin: "http://slack-gov.com" is not an origin such as https://slack-gov.com',
    ],
    [
      { itsm: { reconcileMinutes: 0 } },
      'itsm.reconcileMinutes: must be a whole number from 1 to 1440 (leave it out for never), and is 0',
    ],
    [
      { webhooks: { serviceName: 'Acme AI' } },
      'webhooks.serviceName: "Acme AI" cannot stand in a header name; give 1 to 50 letters (A-Z, a-z), digits and hyphens, no hyphen at either end, such as Acme-AI',
    ],
    [{ trustedProxies: ['nonsense'] }, 'trustedProxies: invalid IP address: nonsense'],
    [
      { identityProviders: [provider, provider] },
      'identityProviders: two entries share one issuer; give each issuer one entry',
    ],
    [
      { identityProviders: [{ ...provider, audienc: 'x' }] },
      'identityProviders[0].audienc: unknown option; did you mean identityProviders[0].audience?',
    ],
    [
      { identityProviders: [{ ...provider, jwksUri: 'http://id.example.com' }] },
      'identityProviders: https://id.example.com: jwksUri must be an https: URL (http: only on this machine)',
    ],
    [{ path: 'governance' }, 'path: is structure: give it to forRootAsync, beside useFactory'],
    [{ url: 'postgres://db/a' }, 'url: unknown option; did you mean database.url?'],
  ])('are refused with an error that names the allowed values: %j', (values, fault) => {
    expect(faultsOfValues({ database: { url: 'postgres://db/a' }, keys: KEYS, ...values })).toEqual([fault]);
  });

  it('are all named at once if several are wrong', () => {
    expect(faultsOfValues({ database: { urll: 'x' }, keyz: SECRET, outbox: { workers: 'yes' } })).toEqual([
      'keyz: unknown option; did you mean keys?',
      'database.urll: unknown option; did you mean database.url?',
      expect.stringMatching(/^database\.url: missing/),
      expect.stringMatching(/^keys: missing/),
      'outbox.workers: must be true or false, and is a string',
    ]);
  });
});

describe('the structure of the module', () => {
  const structure = { libraries: [PolicyModule, UsageModule], imports: [], path: 'governance', controllers: true };

  it('passes together with values and with a factory', () => {
    expect(
      faultsOf(() => checkRoot({ ...FULL, ...structure, clock: { useValue: { now: () => new Date() } } })),
    ).toEqual([]);
    expect(faultsOf(() => checkAsyncRoot({ ...structure, useFactory: () => FULL, inject: [] }))).toEqual([]);
  });

  it.each(Object.keys(STRUCTURE_RULES))('is refused if %s has another type, or is misspelt', name => {
    const wrong = faultsOf(() => checkRoot({ ...FULL, [name]: 7 }));
    expect(wrong).toEqual([expect.stringMatching(new RegExp(`^${name}: must be `))]);
    const factory = { useFactory: () => FULL };
    expect(faultsOf(() => checkAsyncRoot({ ...factory, [name]: Symbol(name) }))).toHaveLength(1);
    expect(faultsOf(() => checkAsyncRoot({ ...factory, [`${name}x`]: [] }))).toEqual([
      `${name}x: unknown option; did you mean ${name}?`,
    ]);
  });

  it.each([
    [{ userDirectory: { useClas: class {} } }, 'userDirectory'],
    [{ userDirectory: { useClass: class {}, useValue: {} } }, 'userDirectory'],
    [{ conditionOperators: [{ provide: 'x' }] }, 'conditionOperators[0]'],
    [{ principalResolver: [class {}, null] }, 'principalResolver[1]'],
  ])('is refused if an implementation is not a provider: %#', (given, path) => {
    expect(faultsOf(() => checkRoot({ ...FULL, ...given }))).toEqual([
      expect.stringContaining(`${path}: must be a class, or an object with one of useClass, useExisting`),
    ]);
  });

  it.each([
    [{ userDirectory: { useValue: {} } }, 'userDirectory.useValue: lacks find(), emails(), recordActivity()'],
    [{ principalResolver: [{ useValue: { reslove() {} } }] }, 'principalResolver[0].useValue: lacks resolve()'],
    [{ clock: { useValue: Date } }, 'clock.useValue: must be an object, and is a function'],
    [
      { chatAdapters: [{ useValue: { read() {} } }] },
      expect.stringContaining('chatAdapters[0].useValue: lacks isWorkspace(), '),
    ],
    [
      { libraries: [] },
      'libraries: is empty. Name at least one, such as PolicyModule, or leave the option out to have all',
    ],
    [{ principalResolver: [] }, 'principalResolver: is empty. Name at least one, or leave the option out'],
  ])('is refused if it implements nothing: %#', (given, fault) => {
    expect(faultsOf(() => checkRoot({ ...FULL, ...given }))).toEqual([fault]);
  });

  it('is refused if values are given besides the factory, or if a factory is missing', () => {
    expect(faultsOf(() => checkAsyncRoot({ keys: KEYS }))).toEqual([
      'useFactory: missing. Give useFactory, useClass or useExisting',
      'keys: is a value: return it from useFactory',
    ]);
    expect(faultsOf(() => checkAsyncRoot(undefined))).toHaveLength(1);
    const two = { useFactory: () => FULL, useClass: class {} };
    expect(faultsOf(() => checkAsyncRoot(two))).toEqual(['useClass: stands beside useFactory; give one of the two']);
  });

  it('is refused together with the values if both are wrong', () => {
    const faults = faultsOf(() => checkRoot({ paht: 'a', controllers: 'no', database: { url: SECRET } }));
    expect(faults.map(fault => fault.split(':')[0])).toEqual(['paht', 'database.url', 'keys', 'controllers']);
  });
});

describe('a host with every option', () => {
  it('starts', async () => {
    const database = await createMigratedDatabase();
    // A host can use only one sink at a time.
    const { folder, name } = FULL.siem;
    const siem = { ...(folder !== undefined && { folder }), ...(name !== undefined && { name }) };
    const options = { ...FULL, siem, database: { ...FULL.database, url: database.url, migrationUrl: database.url } };
    class Host {}
    const module = { module: Host, imports: [GovernanceModule.forRootAsync({ useFactory: () => options })] };
    const context = await NestFactory.createApplicationContext(module, { logger: ['error'], abortOnError: false });
    await context.close();
    await database.drop();
  });
});
