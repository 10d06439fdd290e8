import { createRequire } from 'node:module';

const manifest: unknown = createRequire(import.meta.url)('nest-llm-governance/package.json');

/** Version of the package. */
export const VERSION = String(Reflect.get(Object(manifest), 'version'));
