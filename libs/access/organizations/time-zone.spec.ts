import { describe, expect, it } from '@jest/globals';
import { knownTimeZone } from './time-zone.js';

describe('time zone', () => {
  it('is an IANA name, written as usual', () => {
    expect(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires'].map(knownTimeZone)).toEqual([
      'UTC',
      'Europe/Berlin',
      'Europe/Berlin',
      expect.stringContaining('Buenos_Aires'),
    ]);
  });

  it('is no offset, because offsets know no summer time', () => {
    expect(['+01:00', 'Mars/Olympus', '', 'Europe/Berlin; drop', 7, null].map(knownTimeZone)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });
});
