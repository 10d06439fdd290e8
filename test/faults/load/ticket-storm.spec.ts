import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_FULL, percentile, report, sleep, until } from '../processes/chance.js';
import { prepareGround, tick, type Ground } from './ground.js';
import { startHelper, type Helper } from './helper.js';
import type { JiraFigures, JiraAccount } from './jira.main.js';
import type { Arrivals } from './receiver.main.js';

const VIOLATIONS = IS_FULL ? 1_000 : 80;
const ROUNDS = IS_FULL ? 4 : 2;
const PER_ROUND = VIOLATIONS / ROUNDS;
/**
 * One connector handles 16 tickets in parallel. During the storm, more tickets arrive than Jira answers, but all are
 * finished within the phase.
 */
const ANSWER_MS = IS_FULL ? 2_000 : 750;
const PHASE_MS = IS_FULL ? 36_000 : 4_000;
const STORM_MS = IS_FULL ? (PHASE_MS * 2) / 3 : PHASE_MS / 3;
/**
 * Delay of Jira's search index. The short form of the test needs no repeated search, which is due only after 20
 * seconds.
 */
const SEARCH_LAG_MS = IS_FULL ? [3_000, 8_000] : [500, 2_000];
const ONE_LOST_IN = 20;
const EVENTS_PER_SECOND = 40;
/** Fewer than the connections of the host: the measured events must not wait for violations to free one. */
const AT_ONCE = 4;

let ground: Ground;
let jira: Helper;
let account: JiraAccount;

beforeAll(async () => {
  ground = await prepareGround(1, { concurrency: 64, concurrencyPerWebhook: 16 });
  jira = await startHelper('jira.main.ts', {}, ['--experimental-transform-types']);
  account = await jira.ask<JiraAccount>('listen', {
    certificate: await ground.authority.issue(),
    answerMs: ANSWER_MS,
    oneLostIn: ONE_LOST_IN,
    searchLagMs: SEARCH_LAG_MS,
  });
});

afterAll(async () => {
  await ground?.close();
  await jira?.end();
});

/** Calls a function for each element, a few in parallel. */
async function forEach<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await run(one);
    }),
  );
}

async function people(name: string, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, at) => `${name}-${at}@example.com`);
  await forEach(emails, async email => {
    const { status, text } = await ground.app.call('POST', '/v1/users', { email, name: email });
    if (status !== 201) throw new Error(text);
  });
  return emails;
}

/** Number of decisions that were refused because the database was too slow. The caller repeats such requests. */
let unavailable = 0;

async function violate(email: string): Promise<void> {
  const request = { user_email: email, provider: 'openai', model: 'gpt-4o', idempotency_key: randomUUID() };
  for (;;) {
    const { status, body } = await ground.app.call('POST', '/v1/decisions', request);
    if (status === 200 && body.reason === 'policy') return;
    if (status !== 503) throw new Error(`${status} ${JSON.stringify(body)}`);
    unavailable += 1;
    await sleep(1_000);
  }
}

interface TicketRow {
  id: string;
  incident: string;
  state: string;
  name: string | null;
}

function tickets(): Promise<TicketRow[]> {
  return ground.app.database.asOwner<TicketRow>(
    `select id, incident_id as incident, sync_state as state, external_ticket_id as name from governance.tickets`,
  );
}

/**
 * Makes users violate the policy at a constant rate, and fires other events all the time. Returns the milliseconds from
 * each of these events to its arrival.
 */
async function phase(violators: readonly string[]): Promise<number[]> {
  await ground.receiver.ask('take');
  const begunAt = new Map<string, number>();
  const begun = tick();
  const storm = forEach([...violators.entries()], async ([at, violator]) => {
    await sleep(Math.max(0, begun + (at * STORM_MS) / violators.length - tick()));
    await violate(violator);
  });
  const firing: Promise<void>[] = [];
  for (let fired = 0; tick() - begun < PHASE_MS; await sleep(10)) {
    for (; fired < ((tick() - begun) * EVENTS_PER_SECOND) / 1_000; fired++) firing.push(fireOne(begunAt));
  }
  await Promise.all([storm, ...firing]);
  const arrivedAt = new Map<string, number>();
  await until('all events have arrived', 30_000, async () => {
    const { ids, ticks } = await ground.receiver.ask<Arrivals>('take');
    for (const [at, id] of ids.entries()) arrivedAt.set(id, ticks[at]!);
    return [...begunAt.keys()].every(id => arrivedAt.has(id));
  });
  return [...begunAt].map(([id, at]) => arrivedAt.get(id)! - at);
}

async function fireOne(begunAt: Map<string, number>): Promise<void> {
  const at = tick();
  const [event] = await ground.fire(ground.app.orgId, 'budget_warning');
  begunAt.set(event!.wireId, at);
}

function figuresOf(times: readonly number[]): { count: number; p50: number; p99: number } {
  const [p50, p99] = [0.5, 0.99].map(share => Math.round(percentile(times, share) * 10) / 10);
  return { count: times.length, p50: p50!, p99: p99! };
}

describe(`${VIOLATIONS} violations by different users, and a slow Jira that loses answers`, () => {
  it(
    'create one ticket each, and webhooks arrive as if there were no tickets',
    async () => {
      const { call, orgId } = ground.app;
      await call('POST', '/v1/policies', { name: 'Large models', action: 'block' });
      await ground.webhook(call, ground.urls[0]!);
      const [regulars, newcomers] = [await people('regular', PER_ROUND), await people('new', VIOLATIONS)];
      // The incidents of these people are older than the connector. Further violations by them create no tickets, but
      // cause the same work otherwise.
      await forEach(regulars, violate);
      const kept = await call('POST', '/v1/itsm/connectors', { kind: 'jira', name: 'Jira', ...account });
      expect([kept.status, kept.body.active]).toEqual([201, true]);
      await phase(regulars.slice(0, 10));

      const times = { without: [] as number[], with: [] as number[] };
      const ratios: number[] = [];
      const begun = tick();
      for (let round = 0; round < ROUNDS; round++) {
        const violators = newcomers.slice(round * PER_ROUND, (round + 1) * PER_ROUND);
        const order = round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
        const found = { without: [] as number[], with: [] as number[] };
        for (const which of order) {
          found[which] = await phase(which === 'with' ? violators : regulars);
          times[which].push(...found[which]);
          await until('Jira has been asked for every ticket', 60_000, async () => {
            return (await tickets()).every(({ state }) => state !== 'pending');
          });
        }
        ratios.push(percentile(found.with, 0.99) / percentile(found.without, 0.99));
      }
      await until('every ticket is known', 180_000, async () => {
        return (await tickets()).every(({ state }) => state === 'created');
      });
      const seconds = Math.round((tick() - begun) / 1_000);

      const ledger = await tickets();
      const { issues, ...seen } = await jira.ask<JiraFigures>('figures');
      report('ticket storm', { tickets: ledger.length, issues: issues.length, ...seen, seconds, unavailable });
      const [without, during] = [figuresOf(times.without), figuresOf(times.with)];
      const each = ratios.map(ratio => ratio.toFixed(2)).join(' ');
      // These times are reported but not checked. The bench compares them with the target.
      report('ms from event to arrival', { without, during, ratio: (during.p99 / without.p99).toFixed(2), each });

      // There is one ticket for each newcomer's incident, and no other ticket.
      expect([ledger.length, new Set(ledger.map(({ incident }) => incident)).size]).toEqual([VIOLATIONS, VIOLATIONS]);
      const incidents = await ground.app.database.asOwner('select id from governance.incidents where org_id = $1', [
        orgId,
      ]);
      expect(incidents).toHaveLength(VIOLATIONS + PER_ROUND);
      // Each ticket exists on the platform under its own key, and no other exists.
      const names = new Map(ledger.map(({ id, name }) => [id, name]));
      expect(new Set(issues.map(({ key }) => key))).toEqual(new Set(names.keys()));
      const known = new Set(issues.map(({ key, name }) => `${key} ${name}`));
      expect([...names].filter(([key, name]) => !known.has(`${key} ${name}`))).toEqual([]);
      // An incident may have a second issue only if no search could find the first one.
      expect(issues).toHaveLength(VIOLATIONS + seen.duplicates);
      expect(seen.unexplained).toEqual([]);
      expect(seen.lostAnswers).toBe(Math.floor(seen.posts / ONE_LOST_IN));
      expect(seen.searches).toBeGreaterThanOrEqual(seen.lostAnswers);
    },
    IS_FULL ? 900_000 : 300_000,
  );
});
