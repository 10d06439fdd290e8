import { describe, expect, it } from '@jest/globals';
import { settingFindings } from './settings.js';

const finding = (options: Parameters<typeof settingFindings>[0]) =>
  settingFindings(options).find(({ check }) => check === 'reverse proxies');

describe('the finding about reverse proxies', () => {
  it.each([
    { devices: { publicUrl: 'https://governance.example.com' } },
    { itsm: { publicUrl: 'https://governance.example.com' }, trustedProxies: [] },
    { devices: { publicUrl: 'http://governance.example.com:8080' } },
  ])('warns, with the remedy, when others reach the app from elsewhere and no proxy is trusted: %j', options => {
    expect(finding(options)).toMatchObject({
      ok: true,
      seen: expect.stringContaining('://governance.example.com'),
      remedy: expect.stringContaining('GOVERNANCE_TRUSTED_PROXIES'),
    });
  });

  it.each([
    {},
    { devices: { publicUrl: 'http://127.0.0.1:3000' } },
    { itsm: { publicUrl: 'http://localhost:3000' } },
    { devices: { publicUrl: 'https://governance.example.com' }, trustedProxies: ['10.0.0.5'] },
  ])('warns of nothing under %j', options => {
    expect(finding(options)).toEqual({ check: 'reverse proxies', ok: true, seen: expect.any(String) });
  });
});
