import { readFileSync } from 'node:fs';

const NAME = 'nest-llm-governance';

/** Locations of package.json relative to the sources, to the build, and to a bundle of the app. */
const PATHS = ['../../package.json', '../../../package.json', '../../../../package.json'];

/** The version of this package, as its package.json states it. */
export const PACKAGE_VERSION: string = PATHS.map(versionAt).find(version => version !== undefined) ?? 'unknown';

function versionAt(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    const { name, version } = Object(manifest) as { name?: unknown; version?: unknown };
    return name === NAME && typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
