import { describe, expect, it } from '@jest/globals';
import { Clock, DeviceDirectory, SpendGuard, UserDirectory } from '#core';
import type { OrganizationGrants } from '../approvals/organization-grants.js';
import { BUILT_IN_REGISTRY } from '../decide/index.js';
import { snapshotOf } from '../policies/policy-snapshot.js';
import type { PolicySnapshots } from '../policies/policy-snapshots.js';
import type { Decision } from './decision.js';
import { type DecisionLedger, IdempotencyKeyReusedError, type MadeDecision } from './decision-ledger.js';
import { RequestJudge } from './request-judge.js';
import { RequestParties } from './request-parties.js';
import { DecisionService } from './decision.service.js';

class StillClock extends Clock {
  now(): Date {
    return new Date('2026-11-20T12:00:00Z');
  }
}

class NoDirectory extends UserDirectory {
  async find(_orgId: string, references: readonly unknown[]): Promise<undefined[]> {
    return references.map(() => undefined);
  }
  async emails(): Promise<Map<string, string>> {
    return new Map();
  }
  async recordActivity(): Promise<void> {}
}

class NoDevices extends DeviceDirectory {
  statusOf(): 'unknown' {
    return 'unknown';
  }
}

class NoLimits extends SpendGuard {
  reserve(): undefined {
    return undefined;
  }
  async reserveWithin(): Promise<undefined> {
    return undefined;
  }
  async release(): Promise<bigint> {
    return 0n;
  }
}

/** Notes what is entered, and refuses the key `lost`, as if another replica had just taken it. */
class NotingLedger {
  readonly entered: string[] = [];

  room(): undefined {
    return undefined;
  }

  async known(): Promise<Map<string, Decision>> {
    return new Map();
  }

  enter(_orgId: string, { input }: MadeDecision): void {
    this.entered.push(input.model);
  }

  async enterAll(_orgId: string, made: readonly MadeDecision[]): Promise<PromiseSettledResult<Decision>[]> {
    await new Promise(done => setImmediate(done));
    return Promise.allSettled(
      made.map(async ({ input: { model, idempotency_key: key }, decision }) => {
        if (key === 'lost') throw new IdempotencyKeyReusedError();
        this.entered.push(key === undefined ? model : `${model} by ${key}`);
        return decision;
      }),
    );
  }
}

function serviceOver(ledger: NotingLedger): DecisionService {
  const snapshot = snapshotOf([], { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' });
  // The service uses one method of the snapshots and four of the ledger.
  const snapshots = { peek: () => snapshot } as unknown as PolicySnapshots;
  const entered = ledger as unknown as DecisionLedger;
  const clock = new StillClock();
  // No policy asks for an approval.
  const grants = {} as OrganizationGrants;
  const judge = new RequestJudge(
    snapshots,
    new RequestParties(new NoDirectory(), new NoDevices()),
    { unknownUser: 'evaluate' },
    grants,
    clock,
  );
  return new DecisionService(judge, new NoLimits(), entered, clock);
}

const plain = { user_id: 'u', provider: 'p', model: 'plain' };
const keyed = { user_id: 'u', provider: 'p', model: 'keyed', idempotency_key: 'k' };

describe('a batch of decisions', () => {
  it('enters equal requests with one idempotency key once, and answers each at its place', async () => {
    const ledger = new NotingLedger();
    const inputs = [plain, ...Array.from({ length: 98 }, () => ({ ...keyed })), plain];
    const decisions = await serviceOver(ledger).decideAll('o', inputs);
    expect(ledger.entered).toEqual(['keyed by k', 'plain', 'plain']);
    expect(new Set(decisions.slice(1, 99)).size).toBe(1);
    expect(new Set(decisions.map(({ id }) => id)).size).toBe(3);
  });

  it('enters nothing without a key where a key turns out to be taken', async () => {
    const ledger = new NotingLedger();
    const batch = serviceOver(ledger).decideAll('o', [plain, { ...keyed, idempotency_key: 'lost' }]);
    await expect(batch).rejects.toThrow(IdempotencyKeyReusedError);
    expect(ledger.entered).toEqual([]);
  });

  it('refuses one key with two contents before anything is entered', async () => {
    const ledger = new NotingLedger();
    const batch = serviceOver(ledger).decideAll('o', [plain, keyed, { ...keyed, model: 'other' }]);
    await expect(batch).rejects.toThrow(IdempotencyKeyReusedError);
    expect(ledger.entered).toEqual([]);
  });
});
