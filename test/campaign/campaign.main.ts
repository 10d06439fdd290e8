// Runs a campaign and checks it. Exits with 1 if a rule is broken. See docs/campaign.md.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAll } from './check/check.js';
import { printResult } from './print.js';
import { runCampaign } from './run.js';
import { startWorld } from './stage/world.js';

const MINUTE_MS = 60_000;
const PLANTS = readdirSync(join(import.meta.dirname, 'plants'))
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
if (plant !== undefined && !existsSync(join(import.meta.dirname, 'plants', `${plant}.mjs`))) {
  throw new Error(`--plant must be one of: ${PLANTS.join(', ')}`);
}

process.stdout.write(`Seed ${seed}, ${minutes} min, ${replicas} replicas${plant ? `, plant ${plant}` : ''}\n`);
const starting = startWorld({ seed, replicas, plant, failover });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Also during the start: otherwise its processes would stay.
  process.once(signal, () => void starting.then(world => world.close()).finally(() => process.exit(1)));
}
const world = await starting;
try {
  for (const fault of world.database.skipped) process.stdout.write(`Skipped: ${fault}.\n`);
  await runCampaign(world, seed, minutes * MINUTE_MS);
  const results = await checkAll(world.folder);
  printResult(world.folder, results);
  if (results.some(({ violations }) => violations.length > 0)) {
    process.exitCode = 1;
    process.stdout.write(`Journals: ${world.folder}\n`);
  }
} finally {
  await world.close();
}
process.exit();
