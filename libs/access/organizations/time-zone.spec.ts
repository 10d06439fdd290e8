import { describe, expect, it } from '@jest/globals';
import { knownTimeZone } from './time-zone.js';

describe('time zone', () => {
  it('is an IANA name in its usual spelling', () => {
    expect(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires'].map(knownTimeZone)).toEqual([
      'UTC',
      'Europe/Berlin',
      'Europe/Berlin',
      expect.stringContaining('Buenos_Aires'),
    ]);
  });

  it('is not an offset, because offsets have no daylight saving time', () => {
    expect(['+01:00', 'Mars/Olympus', '', 'Europe/Berlin; drop', 7, null].map(knownTimeZone)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });
});
