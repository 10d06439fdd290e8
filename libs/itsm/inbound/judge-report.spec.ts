import { describe, expect, it } from '@jest/globals';
import { judgeReport, type ReportedState } from './judge-report.js';
import { lineOf, linesOf } from './report-text.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const OPEN: ReportedState = {
  ...{ status: 'open', reportedAt: null, reportedEvent: null, resolution: null, notes: null, updatedBy: null },
};
const minutes = (count: number): Date => new Date(NOW.getTime() + count * 60_000);

describe('a report of a ticket', () => {
  it('without a time is applied on arrival, also after a report with a time', () => {
    const timed = judgeReport(OPEN, { status: 'resolved', occurredAt: minutes(-1) }, NOW);
    expect(timed).toMatchObject({ kind: 'changed', next: { status: 'resolved', reportedAt: minutes(-1) } });
    const before = timed.kind === 'changed' ? timed.next : OPEN;
    const untimed = judgeReport(before, { status: 'in_progress' }, NOW);
    expect(untimed).toMatchObject({ kind: 'changed', next: { status: 'in_progress', reportedAt: minutes(-1) } });
  });

  it('is ignored if a later one is known, and applied if both have the same time', () => {
    const before = { ...OPEN, reportedAt: minutes(-5) };
    expect(judgeReport(before, { status: 'closed', occurredAt: minutes(-6) }, NOW)).toEqual({ kind: 'stale' });
    expect(judgeReport(before, { status: 'closed', occurredAt: minutes(-5) }, NOW).kind).toBe('changed');
  });

  it.each<[string | null, string | undefined, string, string | null]>([
    ['s:3', 's:2', 'stale', null],
    ['s:9', 's:10', 'changed', 's:10'],
    ['s:3', 's:3', 'changed', 's:3'],
    ['s:3', 'other:2', 'changed', 'other:2'],
    ['s:3', 's:', 'changed', 's:3'],
    ['s:3', undefined, 'changed', 's:3'],
    [null, 's:1', 'changed', 's:1'],
    ['s:1', 's:1234567890123456', 'changed', 's:1'],
  ])('of the same time, %s and then %s: the second is %s', (known, eventId, kind, next) => {
    const before = { ...OPEN, reportedAt: minutes(-5), reportedEvent: known };
    const verdict = judgeReport(
      before,
      { status: 'closed', occurredAt: minutes(-5), ...(eventId && { eventId }) },
      NOW,
    );
    expect(verdict).toMatchObject({ kind, ...(next !== null && { next: { reportedEvent: next } }) });
  });

  it('with a later time is applied whatever the number of its event id, and becomes the latest', () => {
    const before = { ...OPEN, reportedAt: minutes(-5), reportedEvent: 's:3' };
    const report = { status: 'closed', occurredAt: minutes(-4) } as const;
    expect(judgeReport(before, { ...report, eventId: 's:2' }, NOW)).toMatchObject({ next: { reportedEvent: 's:2' } });
    expect(judgeReport(before, report, NOW)).toMatchObject({ next: { reportedEvent: null } });
    const { status } = report;
    expect(judgeReport(before, { status, eventId: 's:1' }, NOW)).toMatchObject({ next: { reportedEvent: 's:3' } });
  });

  it('from the future is applied with the current time, so that it does not block later ones', () => {
    const verdict = judgeReport(OPEN, { status: 'resolved', occurredAt: minutes(600) }, NOW);
    expect(verdict).toMatchObject({ kind: 'changed', next: { reportedAt: NOW } });
    const before = verdict.kind === 'changed' ? verdict.next : OPEN;
    expect(judgeReport(before, { status: 'closed', occurredAt: minutes(1) }, minutes(1)).kind).toBe('changed');
  });

  it('without changes updates only its time', () => {
    const before: ReportedState = { ...OPEN, status: 'resolved', resolution: 'Done', reportedAt: minutes(-5) };
    const verdict = judgeReport(before, { status: 'resolved', resolution: ' Done ', occurredAt: minutes(-1) }, NOW);
    expect(verdict).toEqual({ kind: 'unchanged', next: { ...before, reportedAt: minutes(-1) } });
  });

  it('keeps missing fields, removes empty ones, and removes the resolution when a ticket is reopened', () => {
    const before: ReportedState = { ...OPEN, status: 'resolved', resolution: 'Done', notes: 'n', updatedBy: 'ada' };
    const kept = judgeReport(before, { status: 'closed' }, NOW);
    expect(kept).toMatchObject({ next: { status: 'closed', resolution: 'Done', notes: 'n', updatedBy: 'ada' } });
    const emptied = judgeReport(before, { status: 'closed', resolution: '', notes: ' ', updatedBy: '' }, NOW);
    expect(emptied).toMatchObject({ next: { resolution: null, notes: null, updatedBy: null } });
    expect(judgeReport(before, { status: 'open' }, NOW)).toMatchObject({ next: { resolution: null, notes: 'n' } });
  });
});

describe('a text of a platform', () => {
  it('loses characters that are invisible, change the direction or cannot be stored', () => {
    expect(lineOf('a\u0000b\u202Ec\u200Bd\uFEFF e\r\n f\uD800', 99)).toBe('abcd e f\uFFFD');
    expect(linesOf(' one\r\ntwo\u0007\tthree ', 99)).toBe('one\ntwo\tthree');
  });

  it('is truncated at whole characters, with a mark', () => {
    expect(lineOf('\u{1F600}'.repeat(10), 10)).toBe('\u{1F600}'.repeat(10));
    expect(lineOf('\u{1F600}'.repeat(11), 10)).toBe(`${'\u{1F600}'.repeat(9)}…`);
  });
});
