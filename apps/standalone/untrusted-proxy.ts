import { isLoopback } from './plain-http.js';

/**
 * A warning for an app that other machines reach although no proxy is trusted. An `https:` address certainly leads
 * through a proxy, because the app does not speak TLS. Undefined if no warning is needed.
 */
export function untrustedProxyWarning(
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): string | undefined {
  if (publicUrl === undefined || trustedProxies.length > 0) return undefined;
  const { protocol, hostname } = new URL(publicUrl);
  const isCertain = protocol === 'https:';
  if (!isCertain && isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))) return undefined;
  const proxy = isCertain ? 'so a TLS proxy stands in front of it' : 'maybe through a proxy';
  return (
    `Others reach this app at ${publicUrl}, ${proxy}, and GOVERNANCE_TRUSTED_PROXIES is empty: limits and the audit log ` +
    'take every caller for the proxy, and reports of tickets that it passes on are refused. Set ' +
    'GOVERNANCE_TRUSTED_PROXIES to the addresses of the proxy, and have it send X-Forwarded-For. A proxy that sends no ' +
    'header of its own is not noticed: give each connector a report_secret.'
  );
}
