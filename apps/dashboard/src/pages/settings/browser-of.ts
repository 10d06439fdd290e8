const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/**
 * A short name of a browser, derived from its user agent: `Firefox 145, Windows`. An unknown user agent stays
 * unchanged.
 */
export function browserOf(agent: string): string {
  const system = SYSTEMS.find(([part]) => agent.includes(part))?.[1];
  for (const [token, name] of BROWSERS) {
    const version = new RegExp(`\\b${token}/(\\d+)`).exec(agent)?.[1];
    if (version !== undefined) return system === undefined ? `${name} ${version}` : `${name} ${version}, ${system}`;
  }
  return agent;
}
