import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import type { Call, TestApp } from '../../support/test-app.js';
import type { ManualClock } from '../../support/manual-clock.js';
import type { MovedTime } from '../../support/moved-time.js';
import { stageOn, type Stage } from '../../e2e/incidents.support.js';
import { connect } from '../../e2e/itsm/tickets.support.js';
import { sleep, type Chance } from '../processes/chance.js';
import { differences, type OurIncident, type OurTicket, type PeoplesWill } from './checker.js';
import type { Deed, LivedPlatform, PlatformReport } from './lived/lived-platform.js';
import { Trouble, type Shares } from './trouble.js';
import type { KillableWorker } from './workers.js';

const DEEDS: readonly Deed[] = ['start', 'resolve', 'resolve', 'decline', 'close', 'reopen', 'prioritize', 'move'];
/** The share of lost platform reports. */
const SHARE_REPORTED = 0.8;
const AT_ONCE = 8;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** Longer than a lease of the ticket queues. */
const LEASE_MS = 20 * SECOND_MS;
/** How long no task may end, on busy machines where a worker restarts. */
const QUIET_WITHIN_MS = 300_000;
/** How long no task ends before tasks count as held by a killed worker. */
const STUCK_MS = 15_000;
/** How often a request is repeated that a busy machine does not answer. */
const ATTEMPTS = 10;

/** The number of events. */
export interface MonthPlan {
  /** On each platform. */
  readonly incidents: number;
  readonly steps: number;
  /** How often a person changes a ticket of each platform, and how many incidents are resolved, in each step. */
  readonly deeds: number;
  readonly resolved: number;
  readonly shares: Shares;
}

/** The environment. */
export interface MonthWorld {
  readonly app: TestApp;
  readonly clock: ManualClock;
  readonly time: MovedTime;
  readonly chance: Chance;
  /** Without it, the app runs its own ticket tasks. */
  readonly worker?: KillableWorker;
}

/** An organization with one platform. */
interface Desk {
  readonly platform: LivedPlatform;
  readonly trouble: Trouble;
  readonly stage: Stage;
  /** By the platform's id of the ticket. */
  readonly will: Map<string, PeoplesWill>;
  opened: number;
}

/** A month of incidents, changes by people, and faults of the network. */
export class Month {
  private kills = 0;

  private constructor(
    private readonly world: MonthWorld,
    private readonly plan: MonthPlan,
    private readonly desks: readonly Desk[],
  ) {}

  static async begin(world: MonthWorld, plan: MonthPlan, platforms: readonly LivedPlatform[]): Promise<Month> {
    const desks: Desk[] = [];
    for (const platform of platforms) {
      const stage = await stageOn(world.app);
      await connect(stage.call, platform.connector);
      const kill = (): Promise<void> => (world.worker ? world.worker.kill() : robAll(world.app, stage.orgId));
      const trouble = new Trouble(platform, world.chance, plan.shares, kill);
      desks.push({ platform, trouble, stage, will: new Map(), opened: 0 });
    }
    return new Month(world, plan, desks);
  }

  /** Runs the month, then waits until nothing is left to do. */
  async pass(): Promise<void> {
    for (let n = 0; n < this.plan.steps; n++) await this.step(this.plan.steps - n);
    for (const { trouble } of this.desks) trouble.end();
    // Pending attempts and comments are due within these hours.
    for (let n = 0; n < 8; n++) await this.advance(HOUR_MS);
    // A running reconciliation may have read a ticket before its last change, so a complete one follows.
    await this.endRounds();
    await this.look();
    await this.endRounds();
    await this.advance(HOUR_MS);
  }

  /** Every difference between the platforms and the service, as sentences. */
  async differences(): Promise<string[]> {
    const found: string[] = [];
    for (const { platform, trouble, stage, will } of this.desks) {
      const tickets = await all<OurTicket>(stage.call, '/v1/itsm/tickets');
      const incidents = await all<OurIncident>(stage.call, '/v1/incidents');
      const { lateCreates: creates, lateTexts: texts } = trouble.counts;
      found.push(...differences({ platform, tickets, incidents, will, late: { creates, texts } }));
    }
    return found;
  }

  /** The counts of events by platform. */
  figures(): object {
    const entries = this.desks.map(({ platform, trouble }) => {
      const tickets = platform.tickets();
      const texts = tickets.flatMap(each => each.texts).length;
      return [platform.kind, { tickets: tickets.length, texts, ...trouble.counts }];
    });
    return { killed: this.world.worker?.kills ?? 0, ...Object.fromEntries(entries) };
  }

  private async step(left: number): Promise<void> {
    const { steps, deeds, resolved } = this.plan;
    const agains: (() => Promise<void>)[] = [];
    for (const desk of this.desks) agains.push(await this.happen(desk, left));
    await this.advance(31 * SECOND_MS);
    for (const again of agains) await again();
    await this.advance(10 * MINUTE_MS);
    for (const desk of this.desks) {
      for (let n = 0; n < deeds; n++) await this.work(desk);
      const open = await desk.stage.incidents('&status=open');
      for (const { id } of open.slice(0, resolved)) {
        await desk.stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
      }
    }
    // A failed attempt is repeated within these minutes.
    for (const minutes of [1, 5, 30]) await this.advance(minutes * MINUTE_MS);
    await this.look();
    await this.advance(MONTH_MS / steps - HOUR_MS);
  }

  /**
   * Creates new incidents, and further occurrences of some within the hour or after days. Returns events for a little
   * later.
   */
  private async happen(desk: Desk, stepsLeft: number): Promise<() => Promise<void>> {
    const { chance } = this.world;
    const { stage, opened } = desk;
    const count = Math.ceil((this.plan.incidents - opened) / stepsLeft);
    const severity = chance.below(3) === 0 ? 'critical' : 'high';
    await stage.call('PUT', `/v1/policies/${stage.policyId}`, { name: 'Large models', action: 'block', severity });
    const fresh = Array.from({ length: count }, (_, n) => opened + n);
    const again = Array.from({ length: Math.ceil(count / 2) }, () => chance.below(Math.max(1, opened)));
    await violateAll(stage, [...fresh, ...again]);
    desk.opened += count;
    return () =>
      violateAll(
        stage,
        fresh.filter(() => chance.below(2) === 0),
      );
  }

  /** A person changes a ticket. Most of the platform's reports arrive. */
  private async work({ platform, stage, will }: Desk): Promise<void> {
    const { chance, clock } = this.world;
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
    if (done.body && chance.next() < SHARE_REPORTED) await this.report(stage, { ...done, body: done.body });
  }

  private async report({ orgId }: Stage, { body, headers }: PlatformReport): Promise<void> {
    await this.world.app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, body, headers);
  }

  private async look(): Promise<void> {
    await this.world.app.app.get(Reconciliation).look();
  }

  /** A reconciliation reads twenty tickets, pauses for a second, and continues. */
  private async endRounds(): Promise<void> {
    while ((await this.countTasks(`queue = 'itsm-reconcile'`)) > 0) await this.advance(2 * SECOND_MS);
  }

  /** Advances the time, and waits until nothing is due. */
  private async advance(milliseconds: number): Promise<void> {
    for (const { trouble } of this.desks) trouble.catchUp();
    await this.move(milliseconds);
    const progress = { due: Infinity, at: performance.now(), freedAt: performance.now() };
    for (;;) {
      const due = await this.countTasks(`(lease_token is not null or due_at <= governance.now())`);
      if (due === 0) break;
      await this.goOn(progress, due);
      await this.freeLeases();
      const wake = `select pg_notify('governance_tasks', q) from unnest(array['itsm', 'itsm-changes', 'itsm-reconcile']) q`;
      await this.world.app.database.asOwner(wake);
      await sleep(20);
    }
    for (const { platform, stage } of this.desks) {
      for (const report of platform.reports?.() ?? []) await this.report(stage, report);
    }
  }

  private async move(milliseconds: number): Promise<void> {
    const { clock, time, worker } = this.world;
    clock.advance(milliseconds);
    worker?.setClock(clock.now());
    await time.advance(milliseconds);
  }

  /**
   * A claim that commits after its process was killed holds tasks, too, from a later time on.
   *
   * @throws Error if nothing ends for a long time
   */
  private async goOn(progress: { due: number; at: number; freedAt: number }, due: number): Promise<void> {
    const now = performance.now();
    if (this.world.worker?.failure) throw this.world.worker.failure;
    if (due !== progress.due) Object.assign(progress, { due, at: now, freedAt: now });
    if (now - progress.at > QUIET_WITHIN_MS) throw new Error(`${due} tasks are still due`);
    if (!this.world.worker || now - progress.freedAt < STUCK_MS) return;
    progress.freedAt = now;
    await this.move(LEASE_MS);
  }

  /** Ends the leases of a killed process. */
  private async freeLeases(): Promise<void> {
    const { kills = 0 } = this.world.worker ?? {};
    if (kills === this.kills) return;
    this.kills = kills;
    await this.move(LEASE_MS);
  }

  private async countTasks(which: string): Promise<number> {
    const [row] = await this.world.app.database.asOwner<{ tasks: number }>(
      `select count(*)::int as tasks from governance.tasks
       where queue like 'itsm%' and quarantined_at is null and ${which}`,
    );
    return row?.tasks ?? 0;
  }
}

/** Simulates the death of the test's own process: its leases have ended, and its outcomes come too late. */
async function robAll({ database }: TestApp, orgId: string): Promise<void> {
  await database.asOwner(
    `update governance.tasks set lease_token = gen_random_uuid(), due_at = governance.now() - interval '1 second'
     where org_id = $1 and lease_token is not null and queue in ('itsm', 'itsm-changes')`,
    [orgId],
  );
}

/** A few at a time. */
async function violateAll(stage: Stage, models: readonly number[]): Promise<void> {
  const left = models.values();
  const run = async (): Promise<void> => {
    for (const n of left) await repeated(() => stage.violate(undefined, { model: `m-${n}` }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

/** A busy machine may answer 503. */
async function repeated<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(SECOND_MS);
    }
  }
}

async function all<Item>(call: Call, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ;) {
    const { body } = await repeated(async () => {
      const answer = await call('GET', `${path}?limit=100${cursor}`);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
      return answer;
    });
    items.push(...body.items);
    if (!body.next_cursor) return items;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
