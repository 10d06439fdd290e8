import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_REGISTRY, type DecidablePolicy } from '../decide/index.js';
import { pieceOf } from '../testing/recorded-piece.js';
import { Comparison } from './comparison.js';
import { JudgedRequests } from './judged-requests.js';
import { sampledDecision } from './sampled-decision.js';
import { SimulationTally, type RefusedRequest } from './simulation-tally.js';

const COMPILE = { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' } as const;
const DRAFT: DecidablePolicy = {
  id: 'draft',
  name: 'Draft',
  action: 'block',
  model: 'large',
  enabled: true,
  version: 1,
};
const COMPARISON = new Comparison([], DRAFT, COMPILE, {});
const ADA = { name: 'Ada', department: 'Sales', role: 'member', status: 'active', attributes: {} };

interface Fields {
  model?: string;
  sampleRate?: number;
  attributes?: object;
}

const textOf = ({ model = 'large', sampleRate = 1, attributes = ADA }: Fields): string =>
  JSON.stringify(['ada', null, 'p', model, sampleRate, attributes]);

/** Counts a decision. Returns the decision if its cost is needed. */
function count(tally: SimulationTally, fields: Fields = {}): RefusedRequest | undefined {
  const decisionId = randomUUID();
  const text = textOf(fields);
  const judged = new JudgedRequests(COMPARISON).judge(pieceOf([text]), 0, text);
  const tallies = tally.add(judged, decisionId);
  return tallies && { decisionId, weight: judged.weight, tallies };
}

describe('the sums of a simulation', () => {
  it('count a sampled record for all decisions that it represents, and say so', () => {
    const tally = new SimulationTally(false);
    count(tally, { model: 'small' });
    expect(tally).toMatchObject({ evaluated: 1, isEstimated: false });
    const refused = count(tally, { sampleRate: 0.1 });
    expect(tally).toMatchObject({ records: 2, evaluated: 11, matched: 10, changed: 10, newlyRefused: 10 });
    expect(tally).toMatchObject({ isEstimated: true, before: { allow: 11 }, after: { allow: 1, block: 10 } });
    tally.addCosts([refused!], new Map([[refused!.decisionId, 3n]]));
    expect(tally.picodollars).toBe(30n);
  });

  it('add costs without rounding errors', () => {
    const tally = new SimulationTally(false);
    const refused: RefusedRequest[] = [];
    for (let at = 0; at < 10; at++) refused.push(count(tally)!);
    tally.addCosts(refused, new Map(refused.map(({ decisionId }) => [decisionId, 100_000_000_000n])));
    expect(tally.picodollars).toBe(1_000_000_000_000n);
    expect(tally.users.top().top).toMatchObject([{ changed: 10, picodollars: 1_000_000_000_000n }]);
  });

  it('count no cost for requests that the current policies already refuse', () => {
    const tally = new SimulationTally(false);
    expect(count(tally, { attributes: { ...ADA, status: 'suspended' } })).toBeUndefined();
    expect(tally).toMatchObject({ evaluated: 1, matched: 0, changed: 0, before: { block: 1 }, after: { block: 1 } });
  });

  it('list the first twenty decisions that change', () => {
    const tally = new SimulationTally(false);
    count(tally, { model: 'small' });
    const changed = Array.from({ length: 25 }, () => count(tally)?.decisionId);
    expect(tally.sample).toEqual(changed.slice(0, 20));
  });
});

describe('a sampled decision', () => {
  it('has the user, the time, the result and the reason', () => {
    const sampled = sampledDecision('0199c2a8-6b1e-7000-8000-000000000000', textOf({}), COMPARISON);
    expect(sampled).toMatchObject({
      evaluatedAt: new Date(0x0199c2a86b1e),
      department: 'Sales',
      before: { action: 'allow', reason: 'no_policy_matched' },
      after: { action: 'block', reason: 'policy' },
      conditions: [],
    });
  });
});
