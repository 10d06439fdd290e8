import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { ENVIRONMENT_SETTINGS, type GovernanceOptions } from 'nest-llm-governance';
import { APP_SETTINGS } from './app-settings.js';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';

const DATABASE = {
  DATABASE_URL: 'postgres://localhost/x',
  GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};
const HANDLE = { url: DATABASE.DATABASE_URL, migrationUrl: undefined, release: async () => undefined };

/** The module options that result from these variables. */
function optionsUnder(variables: Record<string, string>): GovernanceOptions {
  const app = AppModule.with(readConfig({ ...DATABASE, ...variables }), HANDLE, { controllers: false });
  // AppModule has a single import, which forRoot() created.
  const [governance] = app.imports as DynamicModule[];
  // The core is one of the composed modules. It provides the values of the options.
  const modules = (governance?.imports ?? []) as DynamicModule[];
  const providers = modules.flatMap(module => module.providers ?? []);
  const values = providers.flatMap(each => ('useValue' in each ? [each.useValue as unknown] : []));
  return values.find(
    (value): value is GovernanceOptions => typeof value === 'object' && value !== null && 'keys' in value,
  )!;
}

describe('GOVERNANCE_SIGN_IN_LIMIT', () => {
  it("limits failed sign-ins, with the module's default if it is unset", () => {
    expect(optionsUnder({ GOVERNANCE_SIGN_IN_LIMIT: '0' })).toMatchObject({ failedSignInsPerMinute: 0 });
    expect(optionsUnder({}).failedSignInsPerMinute).toBeUndefined();
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_SIGN_IN_LIMIT: '-1' });
    expect(read).toThrow('GOVERNANCE_SIGN_IN_LIMIT must be a whole number from 0 to 1000000000');
  });
});

describe('the variables about tickets', () => {
  it('set the interval of reconciliation and the public address of the app', () => {
    const variables = {
      GOVERNANCE_ITSM_RECONCILE_MINUTES: ' 15 ',
      GOVERNANCE_ITSM_PUBLIC_URL: 'https://desk.example.com',
      GOVERNANCE_PUBLIC_URL: 'https://governance.example.com',
    };
    expect(optionsUnder(variables)).toMatchObject({
      itsm: { reconcileMinutes: 15, publicUrl: 'https://desk.example.com' },
      devices: { publicUrl: 'https://governance.example.com' },
    });
  });

  it('have defaults if they are unset or empty', () => {
    expect(
      optionsUnder({ GOVERNANCE_ITSM_RECONCILE_MINUTES: '', GOVERNANCE_ITSM_PUBLIC_URL: ' ' }).itsm,
    ).toBeUndefined();
  });

  it.each(['0', '1441', '1.5', 'x'])('refuse %s minutes and name the allowed values', minutes => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_ITSM_RECONCILE_MINUTES: minutes });
    expect(read).toThrow('GOVERNANCE_ITSM_RECONCILE_MINUTES must be a whole number from 1 to 1440');
  });

  it.each(['desk.example.com', 'ftp://desk.example.com', 'https://'])('refuse the address %s', url => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_ITSM_PUBLIC_URL: url });
    expect(read).toThrow('GOVERNANCE_ITSM_PUBLIC_URL must be an http or https URL');
  });
});

describe('the variable about devices of leavers', () => {
  it.each([
    ['true', true],
    ['false', false],
  ])('sets devices.revokeOnDeparture if it is "%s"', (value, revokeOnDeparture) => {
    expect(optionsUnder({ GOVERNANCE_REVOKE_DEVICES_OF_LEAVERS: value }).devices).toEqual({ revokeOnDeparture });
  });
});

describe('the variable about approvals', () => {
  it.each([
    ['true', true],
    ['false', false],
  ])('sets approvals.requirePerson if it is "%s"', (value, requirePerson) => {
    expect(optionsUnder({ GOVERNANCE_APPROVALS_REQUIRE_PERSON: value }).approvals).toEqual({ requirePerson });
  });

  it('is refused if it is neither true nor false', () => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_APPROVALS_REQUIRE_PERSON: 'yes' });
    expect(read).toThrow('GOVERNANCE_APPROVALS_REQUIRE_PERSON must be true or false');
  });
});

describe('the variables', () => {
  const settings = [...APP_SETTINGS, ...ENVIRONMENT_SETTINGS];

  it('have one name each, and there is one for every option', () => {
    expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length);
    const paths = ENVIRONMENT_SETTINGS.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['database.changes.listen', 'incidents.windowMinutes', 'keys']));
  });

  it('set their option', () => {
    const variables = {
      GOVERNANCE_POOL_SIZE: '3',
      GOVERNANCE_SERVICE_NAME: 'Acme',
      GOVERNANCE_WORKERS: 'false',
      GOVERNANCE_DEFAULT_ACTION: 'block',
      GOVERNANCE_UNKNOWN_USER: 'evaluate',
      GOVERNANCE_INCIDENTS_WINDOW_MINUTES: '30',
      GOVERNANCE_APPROVALS_PENDING_DAYS: '2',
      GOVERNANCE_EGRESS_ALLOW: '10.0.0.0/8, webhooks=192.168.0.0/16:443',
      GOVERNANCE_MIGRATIONS: 'check',
    };
    expect(optionsUnder(variables)).toMatchObject({
      database: { poolSize: 3, migrations: 'check' },
      webhooks: { serviceName: 'Acme' },
      decisions: { defaultAction: 'block', unknownUser: 'evaluate' },
      incidents: { windowMinutes: 30 },
      approvals: { pendingDays: 2 },
      egress: { allow: ['10.0.0.0/8', 'webhooks=192.168.0.0/16:443'] },
    });
  });

  it('are all named with their error if several are wrong, and no secret is quoted', () => {
    const read = () =>
      readConfig({
        ...DATABASE,
        PORT: 'x',
        GOVERNANCE_KEYS: 'k1:hunter2',
        GOVERNANCE_POOL_SIZE: '0',
        DATABASE_URL: 'nonsense',
      });
    expect(read).toThrow(/DATABASE_URL must be a URL such as postgres:/);
    expect(read).toThrow(/GOVERNANCE_KEYS entry 1 is not "id:base64 of 32 bytes"/);
    expect(read).toThrow(/GOVERNANCE_POOL_SIZE must be a whole number from 1 to 10000, and is 0/);
    expect(read).toThrow(/PORT must be a whole number/);
    expect(read).not.toThrow(/hunter2|nonsense/);
  });

  it('may come from the file in the _FILE variable, but not from both', () => {
    const folder = mkdtempSync(join(tmpdir(), 'governance-config-'));
    try {
      const file = join(folder, 'keys');
      writeFileSync(file, `${DATABASE.GOVERNANCE_KEYS}\n`);
      const { GOVERNANCE_KEYS: keys, ...rest } = DATABASE;
      expect(readConfig({ ...rest, GOVERNANCE_KEYS_FILE: file }).keys).toBe(keys);
      expect(() => readConfig({ ...DATABASE, GOVERNANCE_KEYS_FILE: file })).toThrow('are both set; keep one of them');
      const missing = () => readConfig({ ...rest, GOVERNANCE_KEYS_FILE: `${file}.gone` });
      expect(missing).toThrow(/GOVERNANCE_KEYS_FILE: the file cannot be read \(.*ENOENT/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('that are misspelt are reported with the most similar name', () => {
    const { unknownVariables } = readConfig({
      ...DATABASE,
      GOVERNANCE_RETENTION_DAY: '3',
      GOVERNANCE_XYZ_OF_SOMETHING_ELSE: '1',
      GOVERNANCE_SERVICE_HOST: '10.0.0.1',
      GOVERNANCE_PORT_3000_TCP_ADDR: '10.0.0.1',
    });
    expect(unknownVariables).toEqual([
      'GOVERNANCE_RETENTION_DAY is not a variable of this app and is ignored; did you mean GOVERNANCE_RETENTION_DAYS?',
      'GOVERNANCE_XYZ_OF_SOMETHING_ELSE is not a variable of this app and is ignored.',
    ]);
  });
});

describe('the data folder', () => {
  it('is refused at once if its folder cannot be created', () => {
    // A path that cannot be created on the current platform.
    const folder = process.platform === 'linux' ? '/proc/foo/bar' : '/dev/null/foo';
    expect(() => readConfig({ GOVERNANCE_DATA_DIR: folder })).toThrow(`GOVERNANCE_DATA_DIR: ${folder} cannot be used`);
  });

  it('with a database and without keys gets no new key', () => {
    const folder = mkdtempSync(join(tmpdir(), 'governance-config-'));
    try {
      mkdirSync(join(folder, 'postgres'));
      writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '18');
      expect(() => readConfig({ GOVERNANCE_DATA_DIR: folder })).toThrow(/keys is missing.*Put the file back/);
      expect(existsSync(join(folder, 'keys'))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
