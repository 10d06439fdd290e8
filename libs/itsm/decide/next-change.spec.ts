import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SEVERITIES, type Severity } from '#core';
import type { UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { afterUpdate } from './after-update.js';
import {
  COMMENT_APART_MS,
  FIRST_COMMENT_MS,
  LOOKED_FOR_DAYS,
  LOOKS_APART_MS,
  nextChange,
  type BegunChange,
  type ChangeStanding,
  type Told,
} from './next-change.js';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const at = (milliseconds: number): Date => new Date(START + milliseconds);

const TOLD: Told = {
  ...{ occurrences: 1, severity: 'medium', resolved: false, at: at(0).toISOString(), commented: false },
};

const hiddenSince = (milliseconds: number): Told => {
  const time = at(milliseconds).toISOString();
  return { ...TOLD, hidden: { since: time, at: time } };
};

const standing = (more: Partial<ChangeStanding> = {}): ChangeStanding => ({
  incident: { occurrences: 1, severity: 'medium', isResolved: false },
  told: TOLD,
  begun: null,
  status: 'open',
  resolution: null,
  isSuperseded: false,
  ...more,
});

const incident = (more: Partial<ChangeStanding['incident']>): Partial<ChangeStanding> => ({
  incident: { ...standing().incident, ...more },
});

describe('the next change on a platform that only resolves and reopens', () => {
  const kinds = ['resolve', 'reopen'] as const;
  const next = (more: Partial<ChangeStanding>) => nextChange(standing(more), at(COMMENT_APART_MS), kinds);
  const worse = incident({ severity: 'critical', occurrences: 9 });

  it('is none while the ticket is open, whatever happens', () => {
    expect(next(worse)).toEqual({ kind: 'none' });
  });

  it('resolves, and reopens tickets that people resolved', () => {
    expect(next(incident({ isResolved: true }))).toMatchObject({ kind: 'send', what: 'resolve' });
    expect(next({ ...worse, status: 'resolved' })).toMatchObject({ kind: 'send', what: 'reopen' });
  });

  it('ends a resolution that was begun after the ticket was reported as over, whatever its status is now', () => {
    const begun = { kind: 'resolve', key: 'k', occurrences: 1, severity: 'medium', sends: 1 } as const;
    const told = { ...TOLD, resolved: true };
    const resolved = incident({ isResolved: true });
    expect(next({ ...resolved, told, begun })).toEqual({ kind: 'note', told: { resolved: true }, ends: true });
    expect(next({ ...resolved, told, begun: { ...begun, kind: 'comment' } })).toMatchObject({ what: 'comment' });
  });

  it('repeats a change that was begun, even if the platform no longer supports it', () => {
    const begun = { kind: 'comment', key: 'k', occurrences: 2, severity: 'medium', sends: 1 } as const;
    expect(next({ begun })).toEqual({ kind: 'send', what: 'comment', begun });
  });

  it.each([
    ['resolve', incident({ isResolved: true })],
    ['reopen', { ...worse, status: 'resolved' }],
    ['priority', incident({ severity: 'critical' })],
  ] as const)('is none if the platform does not %s', (_kind, more) => {
    expect(nextChange(standing(more), at(COMMENT_APART_MS), ['comment'])).toEqual({ kind: 'none' });
  });
});

describe('the next change of a ticket', () => {
  it.each<[string, Partial<ChangeStanding>, number, unknown]>([
    ['is none if the platform has all information', {}, 0, { kind: 'none' }],
    [
      'waits half a minute before the first comment',
      incident({ occurrences: 2 }),
      10_000,
      { kind: 'wait', milliseconds: 20_000 },
    ],
    [
      'is a comment after half a minute',
      incident({ occurrences: 2 }),
      FIRST_COMMENT_MS,
      { kind: 'send', what: 'comment' },
    ],
    [
      'waits an hour before the next comment',
      { ...incident({ occurrences: 3 }), told: { ...TOLD, occurrences: 2, commented: true } },
      60_000,
      { kind: 'wait', milliseconds: COMMENT_APART_MS - 60_000 },
    ],
    ['raises the priority at once', incident({ severity: 'critical' }), 0, { kind: 'send', what: 'priority' }],
    ['never lowers the priority', incident({ severity: 'low' }), COMMENT_APART_MS, { kind: 'none' }],
    [
      'resolves the ticket before it raises the priority',
      incident({ isResolved: true, severity: 'critical', occurrences: 9 }),
      0,
      { kind: 'send', what: 'resolve' },
    ],
    [
      'records that people resolved the ticket before the incident',
      { ...incident({ isResolved: true }), status: 'closed' },
      0,
      { kind: 'note', told: { resolved: true } },
    ],
    [
      'records it also while a later ticket may replace it',
      { ...incident({ isResolved: true }), status: 'resolved', resolution: 'Won’t Do', isSuperseded: true },
      0,
      { kind: 'note', told: { resolved: true } },
    ],
    [
      'is none after the ticket was resolved, whatever people do then',
      { ...incident({ isResolved: true }), told: { ...TOLD, resolved: true } },
      COMMENT_APART_MS,
      { kind: 'none' },
    ],
    ['is none if people resolved the ticket and nothing happened since', { status: 'resolved' }, 0, { kind: 'none' }],
    [
      'reopens a ticket that people resolved if the incident occurs again',
      { ...incident({ occurrences: 2 }), status: 'resolved' },
      FIRST_COMMENT_MS,
      { kind: 'send', what: 'reopen' },
    ],
    [
      'never reopens a ticket that people declined',
      { ...incident({ occurrences: 2, severity: 'critical' }), status: 'resolved', resolution: 'Won’t Do' },
      COMMENT_APART_MS,
      { kind: 'note', told: { ended: 'declined' } },
    ],
    [
      'continues if people reopened a ticket that they had declined',
      { ...incident({ severity: 'critical' }), told: { ...TOLD, ended: 'declined' } },
      0,
      { kind: 'send', what: 'priority' },
    ],
    [
      'waits a day if the platform does not show the ticket',
      { ...incident({ isResolved: true }), told: hiddenSince(0) },
      LOOKS_APART_MS - 1_000,
      { kind: 'wait', milliseconds: 1_000 },
    ],
    [
      'looks again after a day whether the platform shows the ticket',
      { ...incident({ isResolved: true }), told: hiddenSince(0) },
      LOOKS_APART_MS,
      { kind: 'send', what: 'resolve' },
    ],
    [
      'is none if the platform has not shown the ticket for a month',
      { ...incident({ isResolved: true }), told: hiddenSince(0) },
      LOOKED_FOR_DAYS * LOOKS_APART_MS + 1_000,
      { kind: 'none' },
    ],
    [
      'goes on with a ticket that version 0.1.0 left as deleted',
      { ...incident({ isResolved: true }), told: { ...TOLD, ended: 'gone' } },
      0,
      { kind: 'send', what: 'resolve' },
    ],
    [
      'is none if a later ticket has replaced it',
      { ...incident({ isResolved: true }), isSuperseded: true },
      0,
      { kind: 'none' },
    ],
  ])('%s', (_what, more, ms, expected) => {
    expect(nextChange(standing(more), at(ms))).toMatchObject(expected as object);
  });

  it('repeats a change with unknown outcome before anything else', () => {
    const begun = { kind: 'comment', key: 'k', occurrences: 2, severity: 'low', sends: 1 } as const;
    const next = nextChange(standing({ begun, ...incident({ isResolved: true }), isSuperseded: true }), at(0));
    expect(next).toEqual({ kind: 'send', what: 'comment', begun });
  });
});

type Move =
  | { readonly do: 'occur'; readonly severity: Severity }
  | { readonly do: 'resolve' }
  | {
      readonly do: 'people';
      readonly status: TicketStatus;
      readonly resolution: string | null;
      readonly isReported: boolean;
    }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'trouble'; readonly outcome: 'lost' | 'late' | 'refused connection' | 'killed' };

const MOVE: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('occur' as const), severity: fc.constantFrom(...SEVERITIES) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'resolve' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('people' as const),
      status: fc.constantFrom<TicketStatus>('open', 'in_progress', 'resolved', 'closed'),
      resolution: fc.constantFrom("Won't Do", 'Done', null),
      isReported: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 180 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('trouble' as const),
      outcome: fc.constantFrom('lost' as const, 'late' as const, 'refused connection' as const, 'killed' as const),
    }),
  },
);

/** A ticket in memory with its platform, and a worker that executes the decisions. The clock is set by hand. */
class Play {
  private now = START;
  private tries = 0;
  private dueAt = 0;
  private incident = { occurrences: 1, severity: 'medium' as Severity, isResolved: false };
  private told: Told = TOLD;
  private begun: BegunChange | null = null;
  private ours: { status: TicketStatus; resolution: string | null } = { status: 'open', resolution: null };
  private troubles: string[] = [];
  readonly platform = {
    ...{ status: 'open' as TicketStatus, resolution: null as string | null, severity: 'medium' as Severity },
    texts: [] as { key: string; kind: string; occurrences: number; at: number }[],
    reopenedDeclined: 0,
  };

  play(move: Move): void {
    if (move.do === 'occur' && !this.incident.isResolved) this.occur(move.severity);
    if (move.do === 'resolve') this.incident = { ...this.incident, isResolved: true };
    if (move.do === 'people') {
      const { status } = move;
      const resolution = status === 'resolved' || status === 'closed' ? move.resolution : null;
      Object.assign(this.platform, { status, resolution });
      if (move.isReported) this.report();
    }
    if (move.do === 'trouble') this.troubles.push(move.outcome);
    const end = this.now + (move.do === 'pass' ? move.minutes * 60_000 : 1_000);
    for (; this.now < end; this.now += 1_000) this.work();
  }

  /** Runs long enough without faults that everything settles. */
  settle(): void {
    this.troubles = [];
    // The polling of the platform reads the status, as after a lost report.
    this.report();
    const end = this.now + 4 * COMMENT_APART_MS;
    for (; this.now < end; this.now += 30_000) this.work();
  }

  get facts() {
    return { incident: this.incident, told: this.told, begun: this.begun };
  }

  /** Stores the platform's status like the ledger stores a report. */
  private report(): void {
    const { status, resolution } = this.platform;
    this.ours = { status, resolution };
    const isOver = status === 'resolved' || status === 'closed';
    if (!isOver && this.told.ended === 'declined') this.told = { ...this.told, ended: null };
  }

  private occur(severity: Severity): void {
    const isWorse = SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(this.incident.severity);
    this.incident = {
      ...this.incident,
      occurrences: this.incident.occurrences + 1,
      ...(isWorse && { severity }),
    };
  }

  private work(): void {
    if (this.now < this.dueAt) return;
    const { incident, told, begun } = this;
    const now = new Date(this.now);
    const next = nextChange({ incident, told, begun, ...this.ours, isSuperseded: false }, now);
    if (next.kind === 'note') this.told = { ...told, ...next.told };
    if (next.kind !== 'send') return;
    const change: BegunChange = next.begun
      ? { ...next.begun, sends: next.begun.sends + 1 }
      : { kind: next.what, key: `k${this.now}`, sends: 1, ...incident };
    this.begun = change;
    const trouble = this.troubles.shift();
    const refusal = trouble === 'refused connection' ? undefined : this.perform(change);
    // If the process was killed, it writes nothing.
    if (trouble === 'killed') return;
    const outcome: UpdateOutcome =
      trouble === 'refused connection'
        ? { kind: 'retryable', message: 'm' }
        : trouble === undefined
          ? (refusal ?? { kind: 'updated', ...(change.kind !== 'priority' && { status: this.platform.status }) })
          : { kind: 'uncertain', message: 'm' };
    const step = afterUpdate(change, outcome, this.tries, now);
    this.told = { ...this.told, ...step.told };
    this.begun = step.begun;
    if (step.status && step.status !== this.ours.status) {
      this.ours = { status: step.status, resolution: this.platform.resolution };
    }
    this.tries = step.isOver ? 0 : this.tries + 1;
    this.dueAt = this.now + step.againAfterMs;
  }

  /**
   * Executes a change like an adapter: reads the ticket first, adds no text twice, and does not reopen a ticket that
   * people declined.
   */
  private perform({ kind, key, occurrences, severity, sends }: BegunChange): UpdateOutcome | undefined {
    const { platform } = this;
    if (kind === 'reopen' && platform.resolution === "Won't Do") {
      // In the first attempt, the service must not request a reopening if it already knows that people declined the
      // ticket.
      if (sends === 1 && this.ours.resolution === "Won't Do") platform.reopenedDeclined += 1;
      return { kind: 'refused', code: 'declined', message: 'm' };
    }
    if (kind === 'priority') platform.severity = severity;
    else if (!platform.texts.some(text => text.key === key)) {
      platform.texts.push({ key, kind, occurrences, at: this.now });
    }
    if (kind === 'resolve') Object.assign(platform, { status: 'resolved', resolution: 'Done' });
    if (kind === 'reopen') Object.assign(platform, { status: 'open', resolution: null });
    return undefined;
  }
}

describe('a ticket in a random history', () => {
  it('gets every update once, an hour apart, and never overrides people', () => {
    fc.assert(
      fc.property(fc.array(MOVE, { minLength: 1, maxLength: 60 }), moves => {
        const play = new Play();
        for (const move of moves) play.play(move);
        play.settle();
        const { incident, told, begun } = play.facts;
        const { platform } = play;
        expect(begun).toBeNull();
        const isDeclined = told.ended === 'declined' && ['resolved', 'closed'].includes(platform.status);
        if (incident.isResolved) expect(told.resolved).toBe(true);
        else if (!isDeclined) {
          expect(told.occurrences).toBe(incident.occurrences);
          const shown = Math.max(1, ...platform.texts.map(({ occurrences }) => occurrences));
          expect(shown).toBe(incident.occurrences);
          expect(SEVERITIES.indexOf(told.severity)).toBeLessThanOrEqual(SEVERITIES.indexOf(incident.severity));
          expect(platform.severity).toBe(told.severity);
        }
        expect(platform.reopenedDeclined).toBe(0);
        expect(new Set(platform.texts.map(({ key }) => key)).size).toBe(platform.texts.length);
        const comments = platform.texts.filter(({ kind }) => kind === 'comment').map(({ at: time }) => time);
        for (const [n, time] of comments.entries()) {
          // If the answer to a comment was lost, the comment counts from the time at which its outcome became known.
          if (n > 0) expect(time - (comments[n - 1] ?? 0)).toBeGreaterThanOrEqual(COMMENT_APART_MS);
        }
        expect(platform.texts.filter(({ kind }) => kind === 'resolve').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
