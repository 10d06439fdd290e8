import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock, type SpendRequest } from '#core';
import type { KnownLimit } from './limit.entity.js';
import { LimitClaims, type WaitingShare } from './limit-claims.js';
import { LimitGuard } from './limit-guard.js';
import { OpenRequests } from './open-requests.js';
import { LimitSet, OrganizationLimits } from './organization-limits.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const NONE = { department: null, userId: null, model: null, match: null };

function limitOf(id: string, most: Partial<KnownLimit>): KnownLimit {
  const numbers = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };
  return { id, name: id, scope: 'organization', splitBy: null, ...NONE, ...numbers, ...most };
}

class KnownLimits extends OrganizationLimits {
  limits: KnownLimit[] = [];
  constructor() {
    super(undefined as never, { subscribe: () => undefined, onReset: () => undefined } as never);
  }
  override peek(): LimitSet {
    return new LimitSet(this.limits);
  }
}

/** Claims without a database: this replica is the only one that uses the limits. */
class OwnClaims extends LimitClaims {
  /** Numbers of claimed requests and leased slots, by limit and part. */
  readonly requests = new Map<string, number>();
  readonly slots = new Map<string, number>();
  /** Called while a claim is running. */
  meanwhile: () => Promise<void> = () => Promise.resolve();

  override async claim(_orgId: string, wanted: readonly WaitingShare[], now: number): Promise<void> {
    const claims = wanted.map(({ share, waiting }) => ({ share, claim: share.claim(waiting, now) }));
    await this.meanwhile();
    for (const { share, claim } of claims) {
      const key = `${share.limit.id} ${share.part}`;
      const { requestsPerMinute, concurrentRequests } = share.limit;
      const used = (this.requests.get(key) ?? 0) - claim.backRequests;
      const requests = Math.max(Math.min(claim.requests, (requestsPerMinute ?? 0) - used), 0);
      this.requests.set(key, used + requests);
      const slots = claim.slots === null ? null : Math.min(claim.slots, concurrentRequests ?? 0);
      this.slots.set(key, slots ?? 0);
      const requestsWait = claim.requests > 0 && requests === 0 ? 1_000 : 0;
      share.granted(claim, { requests, requestsWait, tokens: 0, tokensWait: 0, slots }, 0, now);
    }
  }
}

let limits: KnownLimits;
let claims: OwnClaims;
let guard: LimitGuard;
let asked = 0;

beforeEach(() => {
  limits = new KnownLimits();
  claims = new OwnClaims(undefined as never);
  guard = new LimitGuard(limits, claims, new OpenRequests(undefined as never, {}), new SystemClock(), {});
});

const requestOf = (userId: string): SpendRequest => {
  const about = { department: null, provider: 'p', model: 'm', at: new Date() };
  return { ...about, decisionId: `decision ${++asked}`, userId, inputTokens: 1, outputTokens: 1 };
};

async function admitted(userId: string, times: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, async () => guard.take(ORG, requestOf(userId))));
  return answers.filter(answer => answer === undefined).length;
}

describe('LimitGuard', () => {
  it('keeps the result of a claim if the upkeep runs during the claim', async () => {
    limits.limits = [limitOf('slots', { concurrentRequests: 2 })];
    claims.meanwhile = () => guard.maintain();
    expect(await admitted('ada', 2)).toBe(2);
    claims.meanwhile = () => Promise.resolve();
    expect(await admitted('ada', 2)).toBe(0);
    expect(claims.slots.get('slots ')).toBe(2);
  });

  it('claims nothing of a common limit for requests that another limit refuses', async () => {
    limits.limits = [
      limitOf('all', { requestsPerMinute: 20, concurrentRequests: 20 }),
      limitOf('each', { requestsPerMinute: 3, splitBy: 'user' }),
    ];
    expect(await admitted('ada', 15)).toBe(3);
    expect(claims.requests.get('all ')).toBe(3);
    expect(claims.slots.get('all ')).toBe(3);
  });

  it('counts a request that a budget refuses, and frees its slot', async () => {
    limits.limits = [limitOf('both', { requestsPerMinute: 2, concurrentRequests: 1 })];
    const request = requestOf('ada');
    expect(await guard.take(ORG, request)).toBeUndefined();
    guard.putBack(ORG, request.decisionId);
    expect(await admitted('ada', 1)).toBe(1);
    expect(await admitted('ada', 1)).toBe(0);
    expect(claims.requests.get('both ')).toBe(2);
  });
});
