import { describe, expect, it } from '@jest/globals';
import { settingFindings } from './settings.js';

const finding = (options: Parameters<typeof settingFindings>[0]) =>
  settingFindings(options).find(({ check }) => check === 'reverse proxies');

describe('the finding about reverse proxies', () => {
  it.each([
    { devices: { publicUrl: 'https://governance.example.com' } },
    { itsm: { publicUrl: 'https://governance.example.com' }, trustedProxies: [] },
    { devices: { publicUrl: 'http://governance.example.com:8080' } },
  ])('warns, with the remedy, if requests come from other machines and no proxy is trusted: %j', options => {
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
  ])('has no warning under %j', options => {
    expect(finding(options)).toEqual({ check: 'reverse proxies', ok: true, seen: expect.any(String) });
  });
});

describe('the finding about the sink of the audit log', () => {
  const findings = (siem: object) => settingFindings({ siem }).filter(({ check }) => check === 'audit sink settings');

  it('names the variables if options contradict each other', () => {
    const seen = [
      'siem: folder and url are set; keep one of GOVERNANCE_AUDIT_SINK_FOLDER, GOVERNANCE_AUDIT_SINK_URL',
      'siem: token and header are set; keep one of GOVERNANCE_AUDIT_SINK_TOKEN, GOVERNANCE_AUDIT_SINK_HEADER',
    ];
    const contradicting = findings({ folder: '/audit', url: 'https://a.example', token: 't', header: 'A: b' });
    expect(contradicting).toMatchObject(seen.map(each => ({ ok: false, seen: each })));
  });

  it.each([{}, { folder: '/audit' }, { url: 'https://a.example', token: 't' }])('is missing with %j', siem => {
    expect(findings(siem)).toEqual([]);
  });
});

describe('the finding about the databases', () => {
  const findings = (migrationUrl?: string) =>
    settingFindings({
      database: { url: 'postgres://app:a@pooler/shop', ...(migrationUrl === undefined ? {} : { migrationUrl }) },
    }).filter(({ check }) => check === 'databases');

  it('warns, without passwords, if the two URLs name different databases', () => {
    const seen = 'DATABASE_URL names the database shop, and GOVERNANCE_MIGRATION_URL other';
    expect(findings('postgres://owner:b@db/other')).toMatchObject([{ ok: true, seen, remedy: expect.any(String) }]);
  });

  it.each([undefined, 'postgres://owner:b@db/shop'])('is missing with %j', migrationUrl => {
    expect(findings(migrationUrl)).toEqual([]);
  });
});
