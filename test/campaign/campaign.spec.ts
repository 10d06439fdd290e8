import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { newChance } from '../faults/processes/chance.js';
import { startProgram, type RunningProgram } from '../support/debian-programs.js';

const ROOT = join(import.meta.dirname, '..', '..');
const MINUTES = 2;
/** Maximum seed. A small seed is easy to type. */
const SEEDS = 1_000_000;
/**
 * Time in addition to the minutes of the campaign: for its setup, the end of all work and the check, on a busy machine.
 */
const LIMIT_MS = 900_000;

let campaign: RunningProgram | undefined;

// Before a campaign ends, it stops the processes that it started.
afterAll(() => campaign?.stop('SIGTERM'));

it(
  'a campaign of two minutes with random faults breaks no rule',
  async () => {
    const seed = newChance().seed % SEEDS;
    process.stdout.write(`    campaign: npm run campaign -- --minutes ${MINUTES} --seed ${seed}\n`);
    const flags = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'];
    const program = ['--import', './test/support/typescript.mjs', join('test', 'campaign', 'campaign.main.ts')];
    const args = [...flags, ...program, '--minutes', String(MINUTES), '--seed', String(seed)];
    campaign = startProgram(process.execPath, args, { cwd: ROOT });
    const [code] = await once(campaign.process, 'exit');
    if (code !== 0) process.stdout.write(campaign.output());
    expect(code).toBe(0);
    expect(campaign.output()).toContain('the audit chain is whole');
  },
  LIMIT_MS,
);
