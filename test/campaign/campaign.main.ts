// Runs a campaign and checks it. Exits with 1 if a rule is broken. See docs/campaign.md.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAll } from './check/check.js';
import { printResult } from './print.js';
import { runCampaign } from './run.js';
import { startTestbed } from './testbed/testbed.js';

const MINUTE_MS = 60_000;
const PLANTED_FAULTS = readdirSync(join(import.meta.dirname, 'planted-faults'))
  .filter(file => file.endsWith('.mjs'))
  .map(file => file.slice(0, -'.mjs'.length));

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    replicas: { type: 'string', default: '2' },
    plant: { type: 'string' },
    failover: { type: 'boolean', default: false },
  },
});
const [minutes, seed, replicas] = [Number(values.minutes), Number(values.seed), Number(values.replicas)];
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
if (!Number.isInteger(seed) || seed < 0) throw new Error('--seed must be a whole number');
if (!Number.isInteger(replicas) || replicas < 1) throw new Error('--replicas must be a whole number above 0');
const { plant, failover } = values;
if (plant !== undefined && !existsSync(join(import.meta.dirname, 'planted-faults', `${plant}.mjs`))) {
  throw new Error(`--plant must be one of: ${PLANTED_FAULTS.join(', ')}`);
}

process.stdout.write(`Seed ${seed}, ${minutes} min, ${replicas} replicas${plant ? `, plant ${plant}` : ''}\n`);
const starting = startTestbed({ seed, replicas, plant, failover });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Handles signals during the start, too. Otherwise the started processes would keep running.
  process.once(signal, () => void starting.then(testbed => testbed.close()).finally(() => process.exit(1)));
}
const testbed = await starting;
try {
  for (const fault of testbed.database.skipped) process.stdout.write(`Skipped: ${fault}.\n`);
  await runCampaign(testbed, seed, minutes * MINUTE_MS);
  const results = await checkAll(testbed.folder);
  printResult(testbed.folder, results);
  if (results.some(({ violations }) => violations.length > 0)) {
    process.exitCode = 1;
    process.stdout.write(`Journals: ${testbed.folder}\n`);
  }
} finally {
  await testbed.close();
}
process.exit();
