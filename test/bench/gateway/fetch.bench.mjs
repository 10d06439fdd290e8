// Chat completions of one caller with the plain fetch and with governedFetch, in one process, to the same emulated
// provider. Measures what governance adds to a call, and to the first byte of a stream. 1,000 policies, usage stored,
// without a budget and with a blocking one. Calls alternate, so that noise of the machine affects both.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GovernedCalls } from '../../../dist/libs/calls/index.js';
import { governedFetch } from '../../../dist/libs/sdks/openai/index.js';
import { call, median, quantile, startApp, startDatabase } from '../support/server.mjs';
import { row } from '../support/row.mjs';

const CALLS = Number(process.env.BENCH_CALLS ?? 1_000);
const WARM_UP = 300;
const POLICIES = 1_000;

const provider = await new Promise(ready => {
  const process = fork(fileURLToPath(new URL('provider-process.mjs', import.meta.url)));
  process.once('message', message => ready({ process, ...message }));
});
const database = await startDatabase();
const governed = await startApp(database.url, { requestsPerMinute: 0 });
const post = (path, body) => call(governed.url, governed.token, 'POST', path, body);
for (let number = 0; number < POLICIES; number++) {
  await post('/v1/policies', {
    name: `Policy ${number}`,
    action: ['block', 'require_approval', 'alert', 'allow'][number % 4],
    model: `model-${number % 50}`,
    conditions: { department: { in: [`department-${100 + (number % 300)}`] } },
  });
}
const user = await post('/v1/users', { email: 'ada@people.example', name: 'Ada', department: 'department-1' });
const calls = governed.app.get(GovernedCalls, { strict: false });
const send = governedFetch(calls, () => ({ orgId: governed.orgId, user_id: user.id }));

await compare('no budget');
await post('/v1/budgets', {
  ...{ name: 'All', scope: 'organization', amount_usd: 100_000_000, period: 'monthly', enforcement: 'block' },
});
await compare('a budget that blocks');
await governed.stop();
await database.stop();
provider.process.send('stop');

async function compare(name) {
  const plain = { times: [], firsts: [] };
  const ours = { times: [], firsts: [] };
  for (let at = -WARM_UP; at < CALLS; at++) {
    for (const [target, doFetch] of [
      [plain, fetch],
      [ours, send],
    ]) {
      const whole = await timed(doFetch, false);
      const first = await timed(doFetch, true);
      if (at < 0) continue;
      target.times.push(whole);
      target.firsts.push(first);
    }
  }
  const added = (figure, at) => (quantile(ours[figure], at) - quantile(plain[figure], at)).toFixed(2);
  console.log(`governedFetch, ${name}`);
  console.log(`  fetch alone              ${median(plain.times).toFixed(2)} ms p50`);
  console.log(
    `  governedFetch adds       ${added('times', 0.5)} ms p50, ${added('times', 0.9)} ms p90 (target: 0.3 p50)`,
  );
  console.log(`  to the first byte        ${added('firsts', 0.5)} ms p50, ${added('firsts', 0.9)} ms p90 (target: 1)`);
  const plainMs = `${median(plain.times).toFixed(2)} ms`;
  const [whole, first] = [added('times', 0.5), added('firsts', 0.5)];
  row({
    figure: `governedFetch, ${name}, ms added, p50`,
    ours: `${whole} ms`,
    peer: plainMs,
    value: +whole,
    atMost: 0.3,
  });
  row({ figure: `governedFetch, ${name}, ms added to the first byte`, ours: `${first} ms`, value: +first, atMost: 1 });
}

/** Milliseconds to the end of an answer, or to the first byte of a stream. */
async function timed(doFetch, stream) {
  const body = {
    ...{ model: 'gpt-4o-mini', max_tokens: 200, stream },
    messages: [{ role: 'user', content: 'Summarize what our customers asked about last week, in three sentences.' }],
  };
  const begun = performance.now();
  const answer = await doFetch(`${provider.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${provider.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  if (!stream) {
    await answer.text();
    return performance.now() - begun;
  }
  let first;
  for await (const _ of answer.body) first ??= performance.now() - begun;
  return first;
}
