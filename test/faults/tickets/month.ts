import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import { stageOn, type Stage } from '../../e2e/incidents.support.js';
import { connect } from '../../e2e/itsm/tickets.support.js';
import type { Chance } from '../processes/chance.js';
import { differences } from './checker.js';
import type { Finding } from './evidence.js';
import { Journal } from './journal.js';
import type { PersonAction, PlatformWithPeople, PlatformReport } from './platforms/platform-with-people.js';
import { MonthTime, type MonthClocks } from './month-time.js';
import { recordsOf, robSingle, violateAll } from './month-requests.js';
import { Trouble, type Shares } from './trouble.js';

const ACTIONS: readonly PersonAction[] = [
  ...(['start', 'resolve', 'resolve', 'decline', 'close'] as const),
  ...(['reopen', 'prioritize', 'edit', 'move'] as const),
];
/**
 * The first actions of people on each platform that has them, so that none of these actions is missing in a short run.
 */
const FIRST_ACTIONS: readonly PersonAction[] = [
  'resolve',
  'close',
  'prioritize',
  'reopen',
  'edit',
  'move',
  'decline',
  'start',
];
/** The share of reports that arrive, and of these the share that arrive after later changes. */
const SHARE_REPORTED = 0.8;
const SHARE_DELAYED = 0.2;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const MONTH_MS = 30 * 24 * HOUR_MS;

/** The number of events. */
export interface MonthPlan {
  /** Number of incidents on each platform. */
  readonly incidents: number;
  readonly steps: number;
  /** Number of changes by people on each platform, and number of resolved incidents, in each step. */
  readonly actions: number;
  readonly resolved: number;
  readonly shares: Shares;
}

/** The environment of a month. */
export interface MonthWorld extends MonthClocks {
  readonly chance: Chance;
}

/** An organization with one platform. */
interface Desk {
  readonly platform: PlatformWithPeople;
  readonly trouble: Trouble;
  readonly stage: Stage;
  readonly journal: Journal;
  /** Times of events, by model. */
  readonly occurrences: Map<string, number[]>;
  /** Reports, not yet sent, of changes that people made during a request. */
  readonly reports: SentReport[];
  /** Reports that arrive at the end of the step. */
  readonly delayed: SentReport[];
  reportedLate: number;
  /** Number of changes by people by action, and number of changes during a request or before its retry. */
  readonly actions: Map<PersonAction, number>;
  duringChanges: number;
  opened: number;
}

/** A report of a change by people, with the number of changes of the ticket that it includes. */
interface SentReport extends PlatformReport {
  readonly id: string;
  readonly count: number;
}

/** A month of incidents, changes by people, and faults of the network. */
export class Month {
  private readonly time: MonthTime;

  private constructor(
    private readonly world: MonthWorld,
    private readonly plan: MonthPlan,
    private readonly desks: readonly Desk[],
    private readonly killedAt: readonly number[],
  ) {
    this.time = new MonthTime(world);
  }

  static async begin(world: MonthWorld, plan: MonthPlan, platforms: readonly PlatformWithPeople[]): Promise<Month> {
    const desks: Desk[] = [];
    const killedAt: number[] = [];
    for (const platform of platforms) {
      const stage = await stageOn(world.app);
      await connect(stage.call, platform.connector);
      const kill = (): Promise<void> => {
        killedAt.push(world.clock.now().getTime());
        return world.worker ? world.worker.kill() : robSingle(world.app, stage.orgId);
      };
      const journal = new Journal(platform, () => world.clock.now());
      const meet = (id: string): void => void work(world, desk, id, anyAction(world), true);
      const trouble = new Trouble(platform, journal, world.chance, plan.shares, {
        kill,
        meet,
        now: () => world.clock.now(),
      });
      const facts = {
        occurrences: new Map<string, number[]>(),
        actions: new Map<PersonAction, number>(),
        ...{ reports: [], delayed: [], reportedLate: 0, duringChanges: 0, opened: 0 },
      };
      const desk: Desk = { platform, trouble, stage, journal, ...facts };
      desks.push(desk);
    }
    return new Month(world, plan, desks, killedAt);
  }

  /** Runs the month, then waits until nothing is left to do. */
  async pass(): Promise<void> {
    for (let n = 0; n < this.plan.steps; n++) await this.step(this.plan.steps - n);
    for (const { trouble } of this.desks) trouble.end();
    // Advances by eight hours, within which pending attempts and comments become due.
    for (let n = 0; n < 8; n++) await this.advance(HOUR_MS);
    // Ends the running reconciliation, which may have read a ticket before its last change, and then runs a complete
    // one.
    await this.endRounds();
    await this.look();
    await this.endRounds();
    await this.advance(HOUR_MS);
  }

  /** Every difference between the platforms and the service. */
  async differences(): Promise<{ platform: string; found: readonly Finding[] }[]> {
    const ofAll: { platform: string; found: readonly Finding[] }[] = [];
    for (const { platform, stage, journal, occurrences } of this.desks) {
      const { entries, troubles } = journal;
      const records = await recordsOf(stage.call);
      const found = differences({ platform, ...records, entries, troubles, occurrences, kills: this.killedAt });
      ofAll.push({ platform: platform.kind, found });
    }
    return ofAll;
  }

  /** What happened on all platforms together. */
  counts(): Record<
    | PersonAction
    | 'lost'
    | 'killed'
    | 'landedBefore'
    | 'landedAfter'
    | 'createdTwice'
    | 'duringChanges'
    | 'reportedLate',
    number
  > {
    const sum = (count: (desk: Desk) => number): number => this.desks.reduce((total, desk) => total + count(desk), 0);
    const actions = (action: PersonAction): number => sum(desk => desk.actions.get(action) ?? 0);
    return {
      lost: sum(({ trouble }) => trouble.counts.lost),
      killed: this.world.worker?.kills ?? sum(({ trouble }) => trouble.counts.killed),
      landedBefore: sum(({ trouble }) => trouble.counts.landedBefore),
      landedAfter: sum(({ trouble }) => trouble.counts.landedAfter),
      createdTwice: sum(({ trouble }) => trouble.counts.createdTwice),
      duringChanges: sum(({ duringChanges }) => duringChanges),
      reportedLate: sum(({ reportedLate }) => reportedLate),
      ...{ start: actions('start'), resolve: actions('resolve'), decline: actions('decline'), close: actions('close') },
      ...{ reopen: actions('reopen'), prioritize: actions('prioritize'), edit: actions('edit'), move: actions('move') },
    };
  }

  /** The counts of events by platform. */
  figures(): object {
    const entries = this.desks.map(({ platform, trouble, duringChanges, reportedLate }) => {
      const tickets = platform.tickets();
      const texts = tickets.flatMap(each => each.texts).length;
      return [platform.kind, { tickets: tickets.length, texts, duringChanges, reportedLate, ...trouble.counts }];
    });
    return { ...this.counts(), ...Object.fromEntries(entries) };
  }

  /** The number of tickets on each platform. */
  ticketCounts(): number[] {
    return this.desks.map(({ platform }) => platform.tickets().length);
  }

  private async step(left: number): Promise<void> {
    const { steps, actions, resolved } = this.plan;
    const agains: (() => Promise<void>)[] = [];
    for (const desk of this.desks) agains.push(await this.happen(desk, left));
    await this.advance(31 * SECOND_MS);
    for (const again of agains) await again();
    await this.advance(10 * MINUTE_MS);
    for (const desk of this.desks) {
      for (let n = 0; n < actions; n++) {
        // Moves the clock, because reports and requests of one instant have no order.
        await this.time.move(SECOND_MS);
        await this.workOnAny(desk);
      }
    }
    await this.advance(MINUTE_MS);
    for (const desk of this.desks) {
      const open = await desk.stage.incidents('&status=open');
      for (const { id } of open.slice(0, resolved)) {
        await desk.stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
      }
    }
    // Failed attempts are repeated after one, five and thirty minutes.
    for (const minutes of [1, 5, 30]) await this.advance(minutes * MINUTE_MS);
    for (const desk of this.desks) {
      for (const report of desk.delayed.splice(0)) await this.report(desk, report);
    }
    await this.look();
    await this.advance(MONTH_MS / steps - HOUR_MS);
  }

  /**
   * Creates new incidents, and further occurrences of some incidents within the hour or after days. Returns the events
   * that must follow a little later.
   */
  private async happen(desk: Desk, stepsLeft: number): Promise<() => Promise<void>> {
    const { chance } = this.world;
    const { stage, opened } = desk;
    const count = Math.ceil((this.plan.incidents - opened) / stepsLeft);
    const severity = chance.below(3) === 0 ? 'critical' : 'high';
    await stage.call('PUT', `/v1/policies/${stage.policyId}`, { name: 'Large models', action: 'block', severity });
    const fresh = Array.from({ length: count }, (_, n) => opened + n);
    const again = Array.from({ length: Math.ceil(count / 2) }, () => chance.below(Math.max(1, opened)));
    await this.violate(desk, [...fresh, ...again]);
    desk.opened += count;
    return () =>
      this.violate(
        desk,
        fresh.filter(() => chance.below(2) === 0),
      );
  }

  private async violate({ stage, occurrences }: Desk, models: readonly number[]): Promise<void> {
    const now = this.world.clock.now().getTime();
    const names = models.map(n => `m-${n}`);
    for (const model of names) occurrences.set(model, [...(occurrences.get(model) ?? []), now]);
    await violateAll(stage, names);
  }

  /** People change a random ticket. */
  private async workOnAny(desk: Desk): Promise<void> {
    const there = desk.platform.tickets();
    if (there.length === 0) return;
    const start = this.world.chance.below(there.length);
    const tickets = [...there.slice(start), ...there.slice(0, start)];
    const missing = FIRST_ACTIONS.filter(action => !desk.actions.has(action));
    const choices = missing.flatMap(action => tickets.map(({ id }) => ({ action, id })));
    for (const { id, action } of [...choices, { id: tickets[0]?.id ?? '', action: anyAction(this.world) }]) {
      const done = work(this.world, desk, id, action, false);
      if (!done) continue;
      if (done.report && this.isDelayed(desk)) desk.delayed.push(done.report);
      else if (done.report) await this.report(desk, done.report);
      return;
    }
  }

  /** The first report of each platform, so that it is not missing in a short run, and others at random. */
  private isDelayed({ reportedLate, delayed }: Desk): boolean {
    return (reportedLate === 0 && delayed.length === 0) || this.world.chance.next() < SHARE_DELAYED;
  }

  private async report(desk: Desk, { id, count, body, headers }: SentReport): Promise<void> {
    const { stage, journal } = desk;
    const [told, ...later] = (journal.entries.get(id) ?? []).slice(count - 1);
    // Drops the report if the ticket has changed since at the same instant, because such changes have no order. A platform
    // would report the newer change, too, but the emulators report only changes by people. So both reports count as lost.
    if (!told || later.some(({ at }) => at <= told.at)) return;
    if (later.length > 0) desk.reportedLate += 1;
    const path = `/v1/integrations/itsm/webhook/${stage.orgId}`;
    const { status } = await this.world.app.as(null)('POST', path, body, headers);
    if (status === 200) journal.learn(id, count);
  }

  private async look(): Promise<void> {
    await this.world.app.app.get(Reconciliation).look();
  }

  /**
   * Waits until no reconciliation is left. A reconciliation pauses for a second after every twenty tickets, so this
   * advances the time.
   */
  private async endRounds(): Promise<void> {
    while ((await this.time.countTasks(`queue = 'itsm-reconcile'`)) > 0) await this.advance(2 * SECOND_MS);
  }

  /** Advances the time, and waits until nothing is due. */
  private async advance(milliseconds: number): Promise<void> {
    // Platforms handle late requests within minutes, so hours are enough for all of them.
    for (const { trouble } of this.desks) trouble.catchUp(milliseconds >= HOUR_MS);
    await this.time.move(milliseconds);
    await this.time.untilQuiet(() => this.reportAll());
    await this.reportAll();
    for (const desk of this.desks) {
      const { platform, journal } = desk;
      for (const report of platform.reports?.() ?? []) {
        await this.report(desk, { ...report, count: journal.count(report.id) });
        journal.read(report.id);
      }
    }
  }

  /** Sends the platform's reports of changes that people made during requests. */
  private async reportAll(): Promise<void> {
    for (const desk of this.desks) {
      for (const report of desk.reports.splice(0)) await this.report(desk, report);
    }
  }
}

function anyAction({ chance }: MonthWorld): PersonAction {
  return ACTIONS[chance.below(ACTIONS.length)] ?? 'start';
}

/**
 * People change a ticket. Returns undefined if the state of the ticket does not allow the change. The result has no
 * report if the platform's report is lost or sent later.
 */
function work(
  { chance }: MonthWorld,
  desk: Desk,
  id: string,
  action: PersonAction,
  isDuring: boolean,
): { readonly report?: SentReport } | undefined {
  const { platform, journal, reports, actions } = desk;
  const done = journal.people(id, () => platform.act(action, id), isDuring);
  if (done === false) return undefined;
  actions.set(action, (actions.get(action) ?? 0) + 1);
  if (isDuring) desk.duringChanges += 1;
  const { body, headers } = done;
  if (!body || chance.next() >= SHARE_REPORTED) return {};
  const report = { id, count: journal.count(id), body, ...(headers && { headers }) };
  if (!isDuring) return { report };
  reports.push(report);
  return {};
}
