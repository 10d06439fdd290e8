import { sinkConflicts } from '#siem';
import type { GovernanceOptions } from '../governance.options.js';
import type { Finding } from './check-up.js';

type Settings = Pick<GovernanceOptions, 'approvals' | 'trustedProxies' | 'devices' | 'itsm' | 'siem'> &
  Partial<Pick<GovernanceOptions, 'database'>>;

/** URLs with plain HTTP on this machine. They are no problem: TLS may end in a proxy elsewhere. */
const LOOPBACK = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/]|$)/i;

/** Warns about settings that could be stricter, and reports contradicting settings. */
export function settingFindings(options: Settings): Finding[] {
  return [...approvalFindings(options), proxyFinding(options), ...sinkFindings(options), ...databaseFindings(options)];
}

function approvalFindings({ approvals }: Settings): Finding[] {
  const check = 'approvals';
  if (approvals?.requirePerson === true) return [{ check, ok: true, seen: 'only persons approve and deny' }];
  return [
    {
      check,
      ok: true,
      seen: 'a token without a person may approve and deny',
      remedy: 'To require a person, set GOVERNANCE_APPROVALS_REQUIRE_PERSON=true (option approvals.requirePerson).',
    },
  ];
}

/**
 * Warns if the service has a public URL and trusts no proxy. Only the host knows whether a proxy is in front of this
 * process.
 */
function proxyFinding({ trustedProxies = [], devices, itsm }: Settings): Finding {
  const check = 'reverse proxies';
  if (trustedProxies.length > 0) return { check, ok: true, seen: `trusted: ${trustedProxies.join(', ')}` };
  const url = itsm?.publicUrl ?? devices?.publicUrl;
  if (url === undefined || LOOPBACK.test(url)) return { check, ok: true, seen: 'none is trusted' };
  return {
    check,
    ok: true,
    seen: `none is trusted, and others reach the app at ${url}`,
    remedy:
      'If a proxy stands in front of the app, set GOVERNANCE_TRUSTED_PROXIES (option trustedProxies) to its addresses. ' +
      'Until then limits and the audit log take every caller for the proxy, and reports of tickets are refused. A proxy ' +
      'that sends no header of its own is not noticed: give each connector a report_secret.',
  };
}

/** The app does not start with these settings. */
function sinkFindings({ siem = {} }: Settings): Finding[] {
  const remedy = 'docs/siem.md shows the settings of each sink.';
  return sinkConflicts(siem).map(seen => ({ check: 'audit sink settings', ok: false, seen, remedy }));
}

/**
 * Warns if `migrationUrl` and `url` name different databases, because the migrations would not change the database of
 * the app. It is only a warning, because the names may differ on purpose: a pooler has its own names.
 */
function databaseFindings({ database }: Settings): Finding[] {
  if (database?.migrationUrl === undefined) return [];
  const [used, migrated] = [databaseOf(database.url), databaseOf(database.migrationUrl)];
  if (used === migrated) return [];
  const seen = `DATABASE_URL names the database ${used}, and GOVERNANCE_MIGRATION_URL ${migrated}`;
  return [{ check: 'databases', ok: true, seen, remedy: 'Let both URLs name the database of the app.' }];
}

/** If a URL contains no database name, PostgreSQL uses the name of the user. */
function databaseOf(url: string): string {
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1) || username);
}
