// The effect of busy tickets on webhooks. Ten violations of different people per second, of which every third is
// resolved two seconds later: Jira gets about 13 requests per second to create or resolve a ticket. Meanwhile other
// events go to a webhook of the same organization. Their times from event to arrival are compared with those during as
// many violations while the connector is off. The two take turns. One process does both kinds of work.
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../webhooks/support/clock.mjs';
import { startHelper } from '../webhooks/support/helper.mjs';
import { startRig } from '../webhooks/support/rig.mjs';
import { ArrivalTimes, figuresOf, peopleOf, printTimes, violateInTurn } from './support/arrival-times.mjs';
import { ms, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 22);
const PER_SECOND = Number(process.env.BENCH_RATE ?? 100);
const VIOLATIONS_PER_SECOND = Number(process.env.BENCH_VIOLATION_RATE ?? 10);
const ANSWER_MS = Number(process.env.BENCH_ANSWER_MS ?? 200);
const ONE_LOST_IN = 50;
const ONE_RESOLVED_IN = 3;
const RESOLVED_AFTER_MS = 2_000;
const PER_PHASE = SECONDS * VIOLATIONS_PER_SECOND;
const SETTLED_MS = 120_000;
const TARGET = 1.2;
/**
 * If the p99 without tickets is above this limit, the machine is so busy that the p99 measures a queue and not latency.
 */
const BUSY_MS = 500;

const rig = await startRig();
const jira = startHelper('../../itsm/jira-process.mjs', {
  execArgv: ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
});
const account = await jira.ask('listen', {
  certificate: await rig.issueCertificate(),
  answerMs: ANSWER_MS,
  oneLostIn: ONE_LOST_IN,
  searchLagMs: [1_000, 3_000],
});
await rig.addWebhook(`${rig.origins[0]}/hook`, { events: ['budget_warning'] });
await rig.call('POST', '/v1/policies', { name: 'Large models', action: 'block' });
const violators = {
  with: await peopleOf(rig, 'with', PER_PHASE * ROUNDS),
  without: await peopleOf(rig, 'without', PER_PHASE * ROUNDS),
  first: await peopleOf(rig, 'first', 40),
};
const worker = await rig.startWorker();
const connector = await rig.call('POST', '/v1/itsm/connectors', { kind: 'jira', name: 'Jira', ...account });
const setActive = active => rig.call('PATCH', `/v1/itsm/connectors/${connector.id}`, { active });

const times = new ArrivalTimes(rig, PER_SECOND);
const rounds = [];
const all = { with: [], without: [] };
// This unmeasured phase also warms up the code for tickets.
await phase(violators.first, 4);
await settled();
for (let round = 0; round < ROUNDS; round++) {
  const found = {};
  for (const which of round % 2 === 0 ? ['without', 'with'] : ['with', 'without']) {
    await setActive(which === 'with');
    const measured = await phase(violators[which].splice(0, PER_PHASE), SECONDS);
    all[which].push(...measured);
    found[which] = figuresOf(measured);
    await settled();
  }
  rounds.push(found);
}
const [{ tickets, resolved }] = await rig.sql(
  `select count(*)::int as tickets, count(*) filter (where status = 'resolved')::int as resolved from governance.tickets`,
);
const { issues, duplicates, unexplained } = await jira.ask('figures');
await worker.stop();
await jira.end();
await rig.stop();

const whole = { with: figuresOf(all.with), without: figuresOf(all.without) };
const ratio = whole.with.p99 / whole.without.p99;
console.log(`${ROUNDS} rounds, ${VIOLATIONS_PER_SECOND} violations a second; Jira answers in ${ANSWER_MS} ms`);
console.log(`  tickets ${tickets}, of them resolved ${resolved}, issues ${issues.length}, duplicates ${duplicates}`);
console.log(`Webhooks of the same organization, ${PER_SECOND} events a second: milliseconds from event to arrival`);
printTimes('without tickets', whole.without);
printTimes('beside the tickets', whole.with);
console.log(`  p99 in each round: ${rounds.map(({ with: a, without: b }) => (a.p99 / b.p99).toFixed(2)).join(', ')}`);
const isBusy = whole.without.p99 > BUSY_MS;
if (isBusy) console.log(`  without tickets p99 is above ${BUSY_MS} ms: this machine is too busy to tell`);
const missing = [...all.with, ...all.without].filter(time => !Number.isFinite(time)).length;
if (missing > 0) console.log(`  ${missing} events have not arrived`);
console.log(
  `  p99 of all rounds beside the tickets: ${ratio.toFixed(2)} of that without (target: at most ${TARGET.toFixed(2)})`,
);
row({
  figure: 'webhooks beside tickets that change, p99 from event to arrival, beside none',
  ours: ms(whole.with.p99, 1),
  peer: ms(whole.without.p99, 1),
  ratio,
  atMost: TARGET,
});
const isComplete = missing === 0 && tickets >= PER_PHASE * ROUNDS && resolved >= Math.floor(tickets / ONE_RESOLVED_IN);
if (!isComplete) console.log('  not everything was done that should be');
if (!(ratio <= TARGET) || isBusy || unexplained.length > 0 || !isComplete) process.exitCode = 1;

/** People violate the policy, and some incidents are resolved. */
async function phase(people, seconds) {
  const resolving = [];
  return times.during(seconds, async begun => {
    await violateInTurn(rig, people, begun, seconds, (email, at) => {
      if (at % ONE_RESOLVED_IN === 0) resolving.push(resolve(email));
    });
    await Promise.all(resolving);
  });
}

async function resolve(email) {
  await sleep(RESOLVED_AFTER_MS);
  const [{ id }] = await rig.sql('select id from governance.incidents where org_id = $1 and user_email = $2', [
    ...[rig.orgId, email],
  ]);
  await rig.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
}

/** Waits until the state of every ticket is that of its incident. */
async function settled() {
  const left = `select queue, count(*)::int from governance.tasks where queue like 'itsm%' and quarantined_at is null group by 1`;
  const until = monotonicMs() + SETTLED_MS;
  for (let rows = await rig.sql(left); rows.length > 0; rows = await rig.sql(left)) {
    if (monotonicMs() > until) throw new Error(`tickets are not settled: ${JSON.stringify(rows)}`);
    await sleep(200);
  }
}
