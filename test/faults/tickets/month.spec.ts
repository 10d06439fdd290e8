import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import { stageOn, type Stage } from '../../e2e/incidents.support.js';
import { connect } from '../../e2e/itsm/tickets.support.js';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { describeWhere } from '../../support/describe-where.js';
import { ManualClock } from '../../support/manual-clock.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { IS_FULL, newChance, report, sleep } from '../processes/chance.js';
import { differences, type OurIncident, type OurTicket, type PeoplesWill } from './checker.js';
import { startLivedJira, startLivedServiceNow, type Deed, type LivedPlatform } from './platforms.js';
import { Trouble } from './trouble.js';

const INCIDENTS = IS_FULL ? 10_000 : 300;
const STEPS = IS_FULL ? 360 : 10;
const STEP_MS = (30 * 86_400_000) / STEPS;
const SHARES = { lost: 0.02, late: 0.01, killed: 0.01, refused: 0.02 };
const DEEDS: readonly Deed[] = ['start', 'resolve', 'resolve', 'decline', 'close', 'reopen', 'prioritize', 'move'];
const AT_ONCE = 8;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Of the whole test, on a busy machine. */
const LONGEST_MS = IS_FULL ? 4 * HOUR_MS : 10 * MINUTE_MS;
/** Of busy machines. */
const QUIET_WITHIN_MS = 60_000;

const clock = new ManualClock();
const chance = newChance();
let app: TestApp;
let time: MovedTime;
let stage: Stage;
let platforms: LivedPlatform[];
let troubles: Trouble[];
let distrust: () => void;
const will = new Map<string, PeoplesWill>();

beforeAll(async () => {
  const authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  const now = () => clock.now();
  platforms = await Promise.all([startLivedJira(authority, now), startLivedServiceNow(authority, now)]);
  app = await startTestApp({
    time: clock,
    egress: { allow: ['127.0.0.0/8', '::1/128'] },
    itsm: { publicUrl: 'https://governance.example.com', reconcileMinutes: 60 },
  });
  time = await moveTime(app.database, { standsAt: clock.now() });
  stage = await stageOn(app);
  for (const { connector } of platforms) await connect(stage.call, connector);
  troubles = platforms.map(({ endpoint }) => new Trouble(endpoint, chance, SHARES, kill));
});

afterAll(async () => {
  await app?.close();
  for (const { endpoint } of platforms ?? []) await endpoint.close();
  distrust?.();
});

/** What the end of a process leaves: its leases have run out, and what it hears later nobody hears of. */
async function kill(ticket: string): Promise<void> {
  await app.database.asOwner(
    `with about as (select id from governance.tickets where id::text = $1 or platform_id = $1),
     tickets as (select t.id from governance.tickets t
       where t.id in (select id from about) or t.follows in (select id from about))
     update governance.tasks k
     set lease_token = gen_random_uuid(), due_at = governance.now() - interval '1 second'
     where k.lease_token is not null and (k.id in (select id from tickets)
       or k.queue = 'itsm-changes' and (k.subject ->> 'ticket_id')::uuid in (select id from tickets))`,
    [ticket],
  );
}

/** Lets time pass, and waits until nothing is due. */
async function pass(milliseconds: number): Promise<void> {
  for (const trouble of troubles) trouble.catchUp();
  clock.advance(milliseconds);
  await time.advance(milliseconds);
  const deadline = performance.now() + QUIET_WITHIN_MS;
  for (;;) {
    const [row] = await app.database.asOwner<{ due: number }>(
      `select count(*)::int as due from governance.tasks where queue like 'itsm%' and quarantined_at is null
         and (lease_token is not null or due_at <= governance.now())`,
    );
    if (row?.due === 0) return;
    if (performance.now() > deadline) throw new Error(`${row?.due} tasks are still due`);
    await app.database.asOwner(`select pg_notify('governance_tasks', q) from unnest(array['itsm', 'itsm-changes']) q`);
    await sleep(20);
  }
}

async function all<Item>(path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ;) {
    const { body } = await stage.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
    items.push(...body.items);
    if (!body.next_cursor) return items;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

const incidents = () => all<OurIncident>('/v1/incidents');

/** People work on a ticket; most of the platform's reports arrive. */
async function work(platform: LivedPlatform): Promise<void> {
  const there = platform.tickets();
  const ticket = there[chance.below(Math.max(1, there.length))];
  const deed = DEEDS[chance.below(DEEDS.length)] ?? 'start';
  const done = ticket && platform.does(deed, ticket.id);
  if (!ticket || !done) return;
  const before = will.get(ticket.id);
  const ends = (before?.ends ?? 0) + (['resolve', 'decline', 'close'].includes(deed) ? 1 : 0);
  const isPriorityTheirs = before?.isPriorityTheirs === true || deed === 'prioritize';
  const isOfStatus = deed !== 'prioritize' && deed !== 'move';
  const last = isOfStatus || !before ? { deed, at: isOfStatus ? clock.now().getTime() : 0 } : before;
  will.set(ticket.id, { ...last, ends, isPriorityTheirs });
  if (chance.next() < 0.8) await app.as(null)('POST', `/v1/integrations/itsm/webhook/${stage.orgId}`, done.body);
}

/** A few at a time. */
async function violateAll(models: readonly number[]): Promise<void> {
  const left = models.values();
  const run = async () => {
    for (const n of left) await stage.violate(undefined, { model: `m-${n}` });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

async function step(opened: number, count: number): Promise<number> {
  const severity = chance.below(3) === 0 ? 'critical' : 'high';
  await stage.call('PUT', `/v1/policies/${stage.policyId}`, { name: 'Large models', action: 'block', severity });
  const fresh = Array.from({ length: count }, (_, n) => opened + n);
  // Some of them happen again within the hour, and some that were quiet.
  const again = Array.from({ length: Math.ceil(count / 2) }, () => chance.below(Math.max(1, opened)));
  await violateAll([...fresh, ...again]);
  await pass(31 * SECOND_MS);
  await violateAll(fresh.filter(() => chance.below(2) === 0));
  await pass(10 * MINUTE_MS);
  for (const platform of platforms) for (let n = 0; n < 3; n++) await work(platform);
  const open = await stage.incidents('&status=open');
  for (const { id } of open.slice(0, 2)) await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
  // An attempt that failed is repeated within these minutes.
  for (const minutes of [1, 5, 30]) await pass(minutes * MINUTE_MS);
  await app.app.get(Reconciliation).look();
  await pass(STEP_MS - HOUR_MS);
  return opened + count;
}

const IS_WANTED = IS_FULL || process.env['FAULTS_SEED'] !== undefined;

describeWhere(
  !IS_WANTED && 'takes minutes; FAULTS_SEED=11 or FAULTS=full',
  'a month of incidents, with answers lost and late, workers killed, and people at work',
  () => {
    it(
      'leaves both platforms as the incidents and the people want them',
      async () => {
        const began = performance.now();
        let opened = 0;
        for (let n = 0; n < STEPS; n++) opened = await step(opened, Math.ceil((INCIDENTS - opened) / (STEPS - n)));
        for (const trouble of troubles) trouble.end();
        // What waits for its next attempt or for the next comment comes within these hours.
        for (let n = 0; n < 8; n++) {
          await app.app.get(Reconciliation).look();
          await pass(HOUR_MS);
        }
        // A round asks for twenty tickets, pauses for a second, and goes on.
        for (let asked = 0; asked < 2 * INCIDENTS; asked += 20) await pass(2 * SECOND_MS);
        const [ours, about] = [await all<OurTicket & { kind: string }>('/v1/itsm/tickets'), await incidents()];
        const found = platforms.flatMap((platform, at) => {
          const { lateCreates: creates, lateTexts: texts } = troubles[at]?.counts ?? { lateCreates: 0, lateTexts: 0 };
          const tickets = ours.filter(({ kind }) => kind === platform.kind);
          return differences({ platform, tickets, incidents: about, will, late: { creates, texts } });
        });
        const counts = platforms.map(({ kind, tickets }, at) => [
          kind,
          { tickets: tickets().length, texts: tickets().flatMap(({ texts }) => texts).length, ...troubles[at]?.counts },
        ]);
        const seconds = Math.round((performance.now() - began) / 1_000);
        report('A month', { seed: chance.seed, seconds, incidents: about.length, ...Object.fromEntries(counts) });
        expect(found).toEqual([]);
      },
      LONGEST_MS,
    );
  },
);
