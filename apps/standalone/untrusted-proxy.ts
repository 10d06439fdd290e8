/**
 * The warning for an app that others reach over TLS, which it does not speak itself: a proxy stands in front, and none is
 * trusted. Undefined: nothing to warn of.
 */
export function untrustedProxyWarning(
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): string | undefined {
  if (!publicUrl?.startsWith('https:') || trustedProxies.length > 0) return undefined;
  return (
    `Others reach this app at ${publicUrl}, so a TLS proxy stands in front of it, and GOVERNANCE_TRUSTED_PROXIES is empty: ` +
    'limits and the audit log take every caller for the proxy, and reports of tickets that it passes on are refused. Set ' +
    'GOVERNANCE_TRUSTED_PROXIES to the addresses of the proxy, and have it send X-Forwarded-For.'
  );
}
