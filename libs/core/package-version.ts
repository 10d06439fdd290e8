import { readFileSync } from 'node:fs';

/** The version of this package, as its package.json states it. */
export const PACKAGE_VERSION: string =
  versionAt('../../package.json') ?? versionAt('../../../package.json') ?? 'unknown';

/** Compiled files are one folder deeper than their sources. */
function versionAt(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    const version: unknown = Reflect.get(Object(manifest), 'version');
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
