/** Minimum Node.js version of the app, the same as `engines` of package.json. */
export const MIN_NODE = '22.19.0';

/**
 * A sentence that says what to do if this Node.js is too old; undefined if it is not. This file imports no package, so
 * that it runs on any version.
 */
export function nodeFault(version: string): string | undefined {
  const [found, wanted] = [numbersOf(version), numbersOf(MIN_NODE)];
  for (const [at, least] of wanted.entries()) {
    const here = found[at] ?? 0;
    if (here > least) return undefined;
    if (here < least) return `Node.js ${MIN_NODE} or newer is needed, and this is ${version}. Install a newer one.`;
  }
  return undefined;
}

function numbersOf(version: string): number[] {
  return version
    .replace(/^v/, '')
    .split('.')
    .map(part => Number.parseInt(part, 10));
}
