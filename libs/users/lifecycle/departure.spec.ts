import { describe, expect, it } from '@jest/globals';
import { departureDateDefect, instantOfDeparture } from './departure.js';

describe('the time of a departure', () => {
  it.each([
    ['2026-12-31', 'UTC', '2026-12-31T00:00:00.000Z'],
    ['2026-12-31', 'Europe/Berlin', '2026-12-30T23:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    ['2026-12-31', 'America/Los_Angeles', '2026-12-31T08:00:00.000Z'],
    // In Santiago, the clocks go from 23:59:59 to 01:00:00 on this day.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ])('is the beginning of the day %s in %s', (day, timeZone, instant) => {
    expect(instantOfDeparture(day, timeZone)?.toISOString()).toBe(instant);
  });

  it.each([
    ['2026-12-31T17:00:00Z', '2026-12-31T17:00:00.000Z'],
    ['2026-12-31T17:00:00.250+01:00', '2026-12-31T16:00:00.250Z'],
    ['2026-12-31T17:00-08:00', '2027-01-01T01:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('is the time %s itself, whatever the time zone', (time, instant) => {
    expect(instantOfDeparture(time, 'Asia/Tokyo')?.toISOString()).toBe(instant);
  });

  it.each([
    ...['2026-02-30', '2026-13-01', '2027-02-29', '26-12-31', '2026-12-31T17:00:00', '2026-12-31T25:00:00Z'],
    // These times fall in the year 10000 in UTC.
    ...['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999-00:01'],
    ...['tomorrow', '', '1969-12-31', '2026-12-31[u-ca=hebrew]', '+002026-12-31', ' 2026-12-31', 20261231, null],
  ])('is refused for %j', value => {
    expect(departureDateDefect(value)).toMatch(/must be an existing day such as/);
  });
});
