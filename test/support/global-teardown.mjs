import { rmSync } from 'node:fs';

export default async function teardown() {
  await globalThis.testPostgres?.stop();
  if (globalThis.testPostgresDir) rmSync(globalThis.testPostgresDir, { recursive: true, force: true });
}
