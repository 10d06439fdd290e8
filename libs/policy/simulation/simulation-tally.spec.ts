import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_REGISTRY, type DecidablePolicy } from '../decide/index.js';
import { Comparison } from './comparison.js';
import { outcomeFor, RecordedPeople } from './recorded-people.js';
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
const ACTIVE = '{"name": "Ada", "department": "Sales", "role": "member", "status": "active", "attributes": {}}';

let minted = 0;

function judged(tally: SimulationTally, fields: { model?: string; sample_rate?: number; attributes?: string }) {
  const id = `0199c2a8-6b1e-7000-8000-${String(++minted).padStart(12, '0')}`;
  const record = { id, user_id: 'ada', user_email: null, provider: 'p', model: 'large', attributes: ACTIVE, ...fields };
  const person = new RecordedPeople().of(record.user_id, record.user_email, record.attributes);
  const outcome = outcomeFor(person, COMPARISON, record.provider, record.model);
  return tally.add({ sample_rate: 1, ...record }, person, outcome);
}

describe('the sums of a simulation', () => {
  it('count a sampled record for all that it stands for, and say so', () => {
    const tally = new SimulationTally(COMPARISON);
    judged(tally, { model: 'small' });
    expect(tally).toMatchObject({ evaluated: 1, isEstimated: false });
    const refused = judged(tally, { sample_rate: 0.1 });
    expect(tally).toMatchObject({ records: 2, evaluated: 11, matched: 10, changed: 10, newlyRefused: 10 });
    expect(tally).toMatchObject({ isEstimated: true, before: { allow: 11 }, after: { allow: 1, block: 10 } });
    tally.addCosts([refused!], new Map([[refused!.decisionId, 3n]]));
    expect(tally.picodollars).toBe(30n);
  });

  it('add costs without drift', () => {
    const tally = new SimulationTally(COMPARISON);
    const refused: RefusedRequest[] = [];
    for (let at = 0; at < 10; at++) refused.push(judged(tally, {})!);
    tally.addCosts(refused, new Map(refused.map(({ decisionId }) => [decisionId, 100_000_000_000n])));
    expect(tally.picodollars).toBe(1_000_000_000_000n);
    expect(tally.users.top().top).toMatchObject([{ changed: 10, picodollars: 1_000_000_000_000n }]);
  });

  it('cost nothing for requests that are refused as things are', () => {
    const tally = new SimulationTally(COMPARISON);
    expect(judged(tally, { attributes: ACTIVE.replace('"active"', '"suspended"') })).toBeUndefined();
    expect(tally).toMatchObject({ evaluated: 1, matched: 0, changed: 0, before: { block: 1 }, after: { block: 1 } });
  });

  it('show the first twenty changes, with why', () => {
    const tally = new SimulationTally(COMPARISON);
    for (let at = 0; at < 25; at++) judged(tally, {});
    expect(tally.sample).toHaveLength(20);
    expect(tally.sample[0]).toMatchObject({
      evaluatedAt: new Date(0x0199c2a86b1e),
      department: 'Sales',
      before: { action: 'allow', reason: 'no_policy_matched' },
      after: { action: 'block', reason: 'policy' },
      conditions: [],
    });
  });
});
