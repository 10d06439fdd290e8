import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { usagePieces } from './usage-pieces.js';

const shown = (start: string, end: string) =>
  usagePieces({ start: new Date(start), end: new Date(end) }).map(
    ({ source, from, until }) => `${source} ${from.toISOString().slice(5, 16)} ${until.toISOString().slice(5, 16)}`,
  );

describe('the parts of a window', () => {
  it('are only UTC days if the zone is UTC', () => {
    expect(shown('2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z')).toEqual(['days 11-01T00:00 12-01T00:00']);
  });

  it('are days, and hours at the ends, if days begin on another hour', () => {
    expect(shown('2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z')).toEqual([
      'hours 10-31T23:00 11-01T00:00',
      'days 11-01T00:00 11-30T00:00',
      'hours 11-30T00:00 11-30T23:00',
    ]);
  });

  it('are single events if days begin within an hour', () => {
    expect(shown('2026-11-19T18:15:00Z', '2026-11-20T18:15:00Z')).toEqual([
      'events 11-19T18:15 11-19T19:00',
      'hours 11-19T19:00 11-20T18:00',
      'events 11-20T18:00 11-20T18:15',
    ]);
  });

  it('cover the window without gap or overlap, each in whole units', () => {
    const quarter = fc.integer({ min: 0, max: 4 * 24 * 60 }).map(count => count * 900_000);
    fc.assert(
      fc.property(quarter, quarter, (one, other) => {
        const [start, end] = [new Date(Math.min(one, other)), new Date(Math.max(one, other))];
        let at = start.getTime();
        for (const { source, from, until } of usagePieces({ start, end })) {
          expect(from.getTime()).toBe(at);
          expect(until > from).toBe(true);
          const unit = { days: 86_400_000, hours: 3_600_000, events: 1 }[source];
          expect([from.getTime() % unit, until.getTime() % unit]).toEqual([0, 0]);
          at = until.getTime();
        }
        expect(at).toBe(end.getTime());
      }),
    );
  });
});
