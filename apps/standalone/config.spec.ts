import type { DynamicModule } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import type { GovernanceOptions } from 'nest-llm-governance';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';

const DATABASE = { DATABASE_URL: 'postgres://localhost/x', GOVERNANCE_KEYS: 'k1:x' };
const HANDLE = { url: DATABASE.DATABASE_URL, migrationUrl: undefined, release: async () => undefined };

/** What the module is given under these variables. */
function optionsUnder(variables: Record<string, string>): GovernanceOptions {
  const app = AppModule.with(readConfig({ ...DATABASE, ...variables }), HANDLE, { controllers: false });
  // The one import, made by forRoot().
  const [governance] = app.imports as DynamicModule[];
  // The core, one of the modules that it composes, has the values.
  const modules = (governance?.imports ?? []) as DynamicModule[];
  const providers = modules.flatMap(module => module.providers ?? []);
  const values = providers.flatMap(each => ('useValue' in each ? [each.useValue as unknown] : []));
  return values.find(
    (value): value is GovernanceOptions => typeof value === 'object' && value !== null && 'keys' in value,
  )!;
}

describe('GOVERNANCE_SIGN_IN_LIMIT', () => {
  it('limits failed sign-ins, to 300 a minute where it is unset', () => {
    expect(optionsUnder({ GOVERNANCE_SIGN_IN_LIMIT: '0' })).toMatchObject({ failedSignInsPerMinute: 0 });
    expect(optionsUnder({})).toMatchObject({ failedSignInsPerMinute: 300 });
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_SIGN_IN_LIMIT: '-1' });
    expect(read).toThrow('GOVERNANCE_SIGN_IN_LIMIT must be a whole number from 0 to 1000000.');
  });
});

describe('the variables about tickets', () => {
  it('have platforms asked where tickets stand, and say where people reach the app', () => {
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

  it('leave both to their defaults where they are unset or empty', () => {
    expect(optionsUnder({ GOVERNANCE_ITSM_RECONCILE_MINUTES: '', GOVERNANCE_ITSM_PUBLIC_URL: ' ' }).itsm).toEqual({});
  });

  it.each(['0', '1441', '1.5', 'x'])('refuse %s minutes and say what is possible', minutes => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_ITSM_RECONCILE_MINUTES: minutes });
    expect(read).toThrow('GOVERNANCE_ITSM_RECONCILE_MINUTES must be a whole number from 1 to 1440.');
  });

  it.each(['desk.example.com', 'ftp://desk.example.com', 'https://'])('refuse %s for an address', url => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_ITSM_PUBLIC_URL: url });
    expect(read).toThrow('GOVERNANCE_ITSM_PUBLIC_URL must be an http or https URL');
  });
});

describe('the variable about devices of leavers', () => {
  it.each([
    ['true', true],
    ['', false],
  ])('sets devices.revokeOnDeparture when it is "%s"', (value, revokeOnDeparture) => {
    expect(optionsUnder({ GOVERNANCE_REVOKE_DEVICES_OF_LEAVERS: value }).devices).toEqual({ revokeOnDeparture });
  });
});

describe('the variable about approvals', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['', false],
  ])('sets approvals.requirePerson when it is "%s"', (value, requirePerson) => {
    expect(optionsUnder({ GOVERNANCE_APPROVALS_REQUIRE_PERSON: value }).approvals).toEqual({ requirePerson });
  });

  it('is refused when it is neither true nor false', () => {
    const read = () => readConfig({ ...DATABASE, GOVERNANCE_APPROVALS_REQUIRE_PERSON: 'yes' });
    expect(read).toThrow('GOVERNANCE_APPROVALS_REQUIRE_PERSON must be true or false.');
  });
});
