import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority } from '../../test/support/certificates.js';
import { apiOf } from './api.js';
import { makePeople } from './people.js';
import { reportHistory } from './history.js';
import { createActivity } from './live.js';
import { setUp, TIME_ZONE } from './organization.js';
import { startPlatforms } from './platforms.js';
import { startService } from './service.js';
import { signInLinks } from './sign-in.js';
import { chooseParts, createScenarios } from './scenarios.js';

const DATA_DIR = process.env['DEMO_DATA_DIR'] ?? join(import.meta.dirname, '..', '..', '.data', 'demo');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());

const started = Date.now();
say(`Starting an organization to look at. Its data are made anew, in ${DATA_DIR}.`);
rmSync(DATA_DIR, { recursive: true, force: true });
const authority = await makeAuthority('Demo authority');
const platforms = await startPlatforms(authority);
const service = await startService(DATA_DIR, authority.caFile());
void service.ended.then(() => stopping.abort());
const api = apiOf(service.origin, service.adminToken);

try {
  const people = makePeople();
  const parts = chooseParts(people);
  const now = new Date();
  await setUp(api, people, platforms);
  say(`  ${people.length} people, policies, webhooks, connectors`);
  say(`  ${await reportHistory(api, people, now, TIME_ZONE)} usage events of 30 days`);
  await createScenarios(api, people, parts, now);
  const legal = people.filter(({ department }) => department === 'Legal');
  const [admin, auditor] = legal;
  if (!admin || !auditor) throw new Error('Legal is empty');
  const links = await signInLinks(service.origin, api, { admin, auditor, member: parts.spender });
  say(`\nReady after ${Math.round((Date.now() - started) / 1_000)} s: ${service.origin}\n`);
  for (const link of links) say(`  ${link}`);
  say('\nEach link works once. Incidents are of today; usage goes back 30 days. Ctrl-C ends it.\n');
  await createActivity(api, people, parts, platforms, stopping.signal);
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
} finally {
  await service.stop();
  await platforms.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
