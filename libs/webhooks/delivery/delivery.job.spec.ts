import { describe, expect, it } from '@jest/globals';
import type { Clock } from '#core';
import type { EgressClient } from '#egress';
import { DeliveryJob } from './delivery.job.js';
import type { SigningKeys } from './signing-keys.js';

/** Time limit of an endpoint's answer (interface specification, section 8). */
const TIMEOUT_MS = 10_000;

describe('the lease of a delivery', () => {
  it('must be longer than the longest attempt, and is longer at the start', () => {
    // These services do not affect the duration of the lease.
    const job = new DeliveryJob({} as EgressClient, {} as SigningKeys, {} as Clock, {});
    expect(job.performMs).toBeGreaterThan(TIMEOUT_MS);
    expect(job.leaseMs).toBeGreaterThan(job.performMs);
  });
});
