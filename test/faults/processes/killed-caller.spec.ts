import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallRecovery } from '#calls';
import { ReservationExpiry } from '#usage';
import { faultsOf } from '../../e2e/spend.support.js';
import { moveTime } from '../../support/moved-time.js';
import { startProcess, type GovernedProcess } from '../../support/governed-process.js';
import type { CallerSettings } from './caller.main.js';
import { IS_FULL, newChance, report, sleep } from './chance.js';
import { KEYS, setStage, type Stage } from './stage.js';

const KILLS = IS_FULL ? 200 : 6;
const KILLED_WITHIN_MS = 400;
const MOST_ANSWERS = 9;
const TIME_LIMIT_MS = IS_FULL ? 5_400_000 : 300_000;
/**
 * The maximum number of tokens that are recorded before they are forwarded. The app records 256 more tokens when fewer
 * than 128 are left, and a chunk has ten.
 */
const AHEAD_TOKENS = 256 + 128 + 10;

let stage: Stage;
const callers: GovernedProcess[] = [];

beforeAll(async () => {
  stage = await setStage();
});

afterAll(async () => {
  await Promise.all(callers.map(caller => caller.end('SIGKILL')));
  await stage?.close();
});

/** The answers that the callers of a process received before the process died. */
function answersOf(caller: GovernedProcess) {
  const answers = { answered: new Set<string>(), passed: new Map<string, number>(), ended: new Set<string>() };
  // The last line may be incomplete.
  for (const line of caller.output().split('\n').slice(0, -1)) {
    const [word, model = '', tokens] = line.split(' ');
    if (word === 'answered') answers.answered.add(model);
    else if (word === 'passed') answers.passed.set(model, Number(tokens));
    else if (word === 'ended') answers.ended.add(model);
    // Other lines are log lines, such as warnings on a busy machine.
    else if (word === 'failed') throw new Error(`${caller.name}: ${line}`);
  }
  return answers;
}

/** Waits until a process has answered this many calls. */
async function hasAnswered(caller: GovernedProcess, count: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while ([...caller.output().matchAll(/^answered /gm)].length < count) {
    if (caller.hasEnded() || performance.now() > deadline) throw new Error(`${caller.name}: ${caller.output()}`);
    await sleep(10);
  }
}

describe('a host that is killed while it makes calls and forwards streams', () => {
  it(
    'has counted each answer once, has lost no usage that its caller received, and leaves no reservations',
    async () => {
      const chance = newChance();
      report('chance', { seed: chance.seed });
      const { app } = stage;
      const time = await moveTime(app.database);
      const expectOk = async (answer: ReturnType<typeof app.call>) => {
        const { status, body, text } = await answer;
        if (status >= 300) throw new Error(text);
        return body;
      };
      const terms = { provider: 'acme', model: 'acme-*', input_per_million_usd: 1, output_per_million_usd: 1 };
      await expectOk(app.call('PUT', '/v1/prices', terms));
      const budget = { name: 'All', scope: 'organization', period: 'monthly', enforcement: 'block' };
      await expectOk(app.call('POST', '/v1/budgets', { ...budget, amount_usd: 1_000_000 }));
      const { id: userId } = await expectOk(app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' }));

      for (let kill = 0; kill < KILLS; kill++) {
        const settings: CallerSettings = {
          ...{ databaseUrl: app.database.url, keys: KEYS, orgId: app.orgId, userId },
          ...{ name: `k${kill}`, callers: 6 },
        };
        const caller = await startProcess('caller.main.ts', settings.name, {
          CALLER_SETTINGS: JSON.stringify(settings),
        });
        callers.push(caller);
        // Kills the process after some answers and a random time, so that the test works on machines of any speed.
        await hasAnswered(caller, chance.below(MOST_ANSWERS));
        await sleep(chance.below(KILLED_WITHIN_MS));
        await caller.end('SIGKILL');
      }
      const open = await countOf('open_calls');
      // The advances that the killed processes have reserved last until they expire.
      const ahead = await countOf('reservations', "and user_id = ''");
      expect(await faultsOf(app.database, app.orgId)).toEqual([]);
      await time.advance(61_000);
      await app.app.get(CallRecovery).sweep();
      expect(await countOf('open_calls')).toBe(0);

      const rows = await app.database.asOwner<{ model: string; events: number; output: number }>(
        `select model, count(*)::int as events, sum(output_tokens)::float8 as output
         from governance.usage_events where org_id = $1 group by model`,
        [app.orgId],
      );
      const counted = new Map(rows.map(row => [row.model, row]));
      const offences: object[] = rows.filter(({ events }) => events !== 1);
      const seen = { answered: 0, ended: 0, cut: 0, unanswered: 0 };
      for (const caller of callers) {
        const { answered, passed, ended } = answersOf(caller);
        for (const model of answered) if (counted.get(model)?.output !== 20) offences.push({ model, lost: true });
        for (const [model, tokens] of passed) {
          const output = counted.get(model)?.output ?? 0;
          // For an aborted stream, the received tokens are only a lower bound, because the last output of a killed
          // process may be lost.
          const isWrong = ended.has(model) ? output !== 600 : output < tokens || output > 600 + AHEAD_TOKENS;
          if (isWrong) offences.push({ model, tokens, output });
        }
        seen.answered += answered.size;
        seen.ended += ended.size;
        seen.cut += passed.size - ended.size;
      }
      seen.unanswered = rows.length - seen.answered - seen.ended - seen.cut;
      report('killed callers', { kills: KILLS, ...seen, open, ahead, events: rows.length });
      expect(offences).toEqual([]);
      expect(seen.answered).toBeGreaterThan(KILLS);
      expect(seen.cut).toBeGreaterThan(0);
      // In the short form, it is possible that no process was busy enough to reserve an advance.
      if (IS_FULL) expect(ahead).toBeGreaterThan(0);

      await time.advance(15 * 60_000);
      await app.app.get(ReservationExpiry).sweep();
      expect(await countOf('reservations')).toBe(0);
      const [window] = await app.database.asOwner<{ reserved: number }>(
        `select sum(reserved_usd)::float8 as reserved from governance.budget_windows where org_id = $1`,
        [app.orgId],
      );
      expect(window?.reserved).toBe(0);
    },
    TIME_LIMIT_MS,
  );
});

async function countOf(table: 'open_calls' | 'reservations', and = ''): Promise<number> {
  const [row] = await stage.app.database.asOwner<{ n: number }>(
    `select count(*)::int as n from governance.${table} where org_id = $1 ${and}`,
    [stage.app.orgId],
  );
  return row?.n ?? Number.NaN;
}
