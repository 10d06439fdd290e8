import { describe, expect, it } from '@jest/globals';
import { INCIDENT_STATUSES, mayBecome } from './incident-status.js';

describe('an incident', () => {
  it('is acknowledged, reopened and resolved by people, and cannot be reopened after that', () => {
    const ways = INCIDENT_STATUSES.flatMap(from =>
      INCIDENT_STATUSES.filter(to => mayBecome(from, to)).map(to => `${from} → ${to}`),
    );
    expect(ways).toEqual(['open → acknowledged', 'open → resolved', 'acknowledged → open', 'acknowledged → resolved']);
  });
});
