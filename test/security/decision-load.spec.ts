import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_FULL, report } from '../faults/processes/chance.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { watchTurns } from '../support/turn-watch.js';

const TURN_MAX_MS = 250;
const POLICIES = 3_000;
const TEAMS = Array.from({ length: 10 }, (_, at) => `Team ${at}`);
/** Copies of the only policy. */
const COPIES = `
insert into governance.policies
select made.* from governance.policies p, generate_series(2, $1::int) n,
  jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'name', 'Policy ' || n)) made
where p.name = 'Policy 1'`;

describe('a batch of decisions of which each matches thousands of policies', () => {
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    app = await startTestApp({ decisions: { unknownUser: 'evaluate' } });
    const policy = { name: 'Policy 1', action: 'alert', conditions: { 'attributes.team': { in: TEAMS } } };
    await app.call('POST', '/v1/policies', policy);
    ({ token } = await app.addToken('agent'));
    await app.database.asOwner(COPIES, [POLICIES]);
  });

  afterAll(() => app?.close());

  /** Sends a batch and reads its answer in pieces, like a slow client. Parsing the answer is not measured. */
  async function ask(): Promise<{ status: number; bytes: number }> {
    const requests = TEAMS.map(team => ({
      ...{ user_email: 'nobody@example.com', provider: 'openai', model: 'gpt-4o' },
      attributes: { team },
    }));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ requests });
    const response = await fetch(`${app.url}/v1/decisions/batch`, { method: 'POST', headers, body });
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += piece.length;
    return { status: response.status, bytes };
  }

  it.each(['first', 'second'])('yields to the event loop within 250 ms of CPU time if it is the %s', async which => {
    const { longest, result } = await watchTurns(ask);
    if (IS_FULL) report(`${which} batch`, { turn_ms: longest, bytes: result.bytes });
    expect(result.status).toBe(200);
    // The answer is large: each decision contains at least the id of each policy.
    expect(result.bytes).toBeGreaterThan(TEAMS.length * POLICIES * 36);
    expect({ longest: longest < TURN_MAX_MS, ms: longest }).toEqual({ longest: true, ms: longest });
  });
});
