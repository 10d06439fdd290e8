// What limits add to a decision: p99 of organizations without and with limits, in process and over HTTP. Both are in
// one app and take turns. The limits are too high to refuse a request, and replicas claim as they do near a limit.
import { randomUUID } from 'node:crypto';
import { DecisionService } from '../../../dist/libs/policy/index.js';
import { GovernanceOperations } from '../../../dist/libs/governance/index.js';
import { call, median, quantile, startApp, startDatabase } from '../support/server.mjs';
import { ms, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 4_000);
const PEOPLE = 100;
const CALLERS = 8;
const MODEL = { provider: 'openai', model: 'gpt-4o', estimated_input_tokens: 500, max_output_tokens: 200 };
const LIMITS = [
  { scope: 'organization', requests_per_minute: 4_000_000, tokens_per_minute: 2_000_000_000 },
  { scope: 'organization', split_by: 'user', requests_per_minute: 400_000 },
  { scope: { model: 'gpt-4*' }, concurrent_requests: 4_000_000 },
];

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0, outbox: { workers: false } });
const sites = { without: await site([]), with: await site(LIMITS) };

const ways = {
  'in process, one caller': { callers: 1, decide: decideHere },
  [`over HTTP, ${CALLERS} callers`]: { callers: CALLERS, decide: decideThere },
};
for (const [name, { callers, decide }] of Object.entries(ways)) {
  const times = { without: [], with: [] };
  for (let round = -2; round < ROUNDS; round++) {
    for (const which of round % 2 === 0 ? ['without', 'with'] : ['with', 'without']) {
      const taken = await measure(sites[which], callers, decide);
      if (round >= 0) times[which].push(...taken);
    }
  }
  const p99 = { without: quantile(times.without, 0.99), with: quantile(times.with, 0.99) };
  const ratio = p99.with / p99.without;
  for (const which of ['without', 'with']) {
    console.log(`${name}, ${which} limits: p50 ${ms(median(times[which]), 3)}, p99 ${ms(p99[which], 3)}`);
  }
  console.log(`  ratio of p99 ${ratio.toFixed(2)} (target: at most 1.1)`);
  row({
    figure: `a decision with limits, p99, ${name}`,
    ours: ms(p99.with, 3),
    peer: ms(p99.without, 3),
    ratio,
    atMost: 1.1,
  });
}

await server.stop();
await database.stop();

/** An organization with people and limits. */
async function site(limits) {
  const { orgId, token } = await server.app.get(GovernanceOperations).createOrganization(`Bench ${randomUUID()}`);
  const users = [];
  for (let n = 0; n < PEOPLE; n++) {
    users.push((await call(server.url, token, 'POST', '/v1/users', { email: `u${n}@people.example`, name: 'Ada' })).id);
  }
  for (const limit of limits) await call(server.url, token, 'POST', '/v1/limits', { name: 'Limit', ...limit });
  return { orgId, token, users };
}

/** Milliseconds of each decision. */
async function measure(place, callers, decide) {
  const times = [];
  let left = REQUESTS;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const begun = performance.now();
        const answer = await decide(place, place.users[left % PEOPLE] ?? place.users[0]);
        times.push(performance.now() - begun);
        if (!answer.allowed) throw new Error(answer.reason);
      }
    }),
  );
  return times;
}

function decideHere({ orgId }, user_id) {
  return server.app.get(DecisionService).decide(orgId, { ...MODEL, user_id }, { caller: { tokenId: undefined } });
}

function decideThere({ token }, user_id) {
  return call(server.url, token, 'POST', '/v1/decisions', { ...MODEL, user_id });
}
