// The effect of busy tickets on webhooks. Ten violations of different people per second, of which every third is
// resolved two seconds later: Jira gets about 13 requests per second to create or resolve a ticket. Meanwhile other
// events go to a webhook of the same organization. Their times from event to arrival are compared with those during as
// many violations while the connector is off. One process does both kinds of work.
//
// Each round has both phases, in alternating order. The result is the median of the rounds' ratios of the p99.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfMachine } from '../support/cpu.mjs';
import { monotonicMs } from '../webhooks/support/clock.mjs';
import { startHelper } from '../webhooks/support/helper.mjs';
import { startRig } from '../webhooks/support/rig.mjs';
import { ArrivalTimes, figuresOf, peopleOf, printTimes, violateInTurn } from './support/arrival-times.mjs';
import { areEnough, BUSY_TURN_MS, LEAST_ROUNDS, orderOf, summaryOf, watchTurns } from './support/paired-rounds.ts';
import { median } from '../support/server.mjs';
import { ms, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? LEAST_ROUNDS);
/** Of each phase, of which the first two are not measured. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 12);
const PER_SECOND = Number(process.env.BENCH_RATE ?? 100);
const VIOLATIONS_PER_SECOND = Number(process.env.BENCH_VIOLATION_RATE ?? 10);
const ANSWER_MS = Number(process.env.BENCH_ANSWER_MS ?? 200);
const ONE_LOST_IN = 50;
const ONE_RESOLVED_IN = 3;
const RESOLVED_AFTER_MS = 2_000;
const PER_PHASE = SECONDS * VIOLATIONS_PER_SECOND;
const FIRST = 40;
const SETTLED_MS = 120_000;
const TARGET = 1.2;
/** If other processes use more than this share of the cores, they decide the p99. */
const OTHERS_AT_MOST = 0.1;

const begunAt = monotonicMs();
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
  first: await peopleOf(rig, 'first', FIRST),
};
const worker = await rig.startWorker();
const connector = await rig.call('POST', '/v1/itsm/connectors', { kind: 'jira', name: 'Jira', ...account });
const setActive = active => rig.call('PATCH', `/v1/itsm/connectors/${connector.id}`, { active });

const times = new ArrivalTimes(rig, PER_SECOND);
const rounds = [];
// This unmeasured phase also warms up the code for tickets.
await phase(violators.first, 4);
await settled();
const measuredAt = monotonicMs();
for (let round = 0; round < ROUNDS; round++) {
  const found = {};
  for (const which of orderOf(round)) {
    await setActive(which === 'with');
    found[which] = await phase(violators[which].splice(0, PER_PHASE), SECONDS);
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

const whole = {
  with: figuresOf(rounds.flatMap(found => found.with.times)),
  without: figuresOf(rounds.flatMap(found => found.without.times)),
};
const ratios = rounds.map(found => figuresOf(found.with.times).p99 / figuresOf(found.without.times).p99);
const summary = summaryOf(ratios);
const samples = Math.min(...rounds.flatMap(found => [found.with.times.length, found.without.times.length]));
console.log(`${ROUNDS} rounds, ${VIOLATIONS_PER_SECOND} violations a second; Jira answers in ${ANSWER_MS} ms`);
console.log(`Webhooks of the same organization, ${PER_SECOND} events a second: milliseconds from event to arrival`);
printTimes('without tickets', whole.without);
printTimes('beside the tickets', whole.with);
for (const [at, found] of rounds.entries()) {
  const of = which => `${figuresOf(found[which].times).p99.toFixed(1).padStart(6)} (turns ${turnsOf(found[which])})`;
  const ratio = ratios[at].toFixed(2);
  const name = `round ${String(at + 1).padStart(2)}`;
  console.log(`  ${name}: p99 without ${of('without')}, beside ${of('with')}, ratio ${ratio}`);
}
console.log(`  each p99 is of ${samples} events, so ${Math.floor(samples / 100)} events are above it`);
console.log(
  `  median of the ratios ${summary.median.toFixed(2)} (target: at most ${TARGET.toFixed(2)}), from ` +
    `${summary.least.toFixed(2)} to ${summary.most.toFixed(2)}; 95 % interval of the median ` +
    `${summary.low.toFixed(2)} to ${summary.high.toFixed(2)}`,
);
const seconds = (from, to = monotonicMs()) => `${((to - from) / 1_000).toFixed(0)} s`;
console.log(`  ${seconds(begunAt)} in total, of them ${seconds(begunAt, measuredAt)} before the first round`);

// The connector is on in the warm-up phase and in one phase of each round. Each phase resolves its first violation, and
// then every third one.
const resolvedOf = count => Math.ceil(count / ONE_RESOLVED_IN);
const faults = [
  differs('tickets', tickets, FIRST + PER_PHASE * ROUNDS),
  differs('resolved tickets', resolved, resolvedOf(FIRST) + resolvedOf(PER_PHASE) * ROUNDS),
  differs('issues in Jira', issues.length, tickets + duplicates),
  differs('events that never arrived', times.missing, 0),
  differs('events that arrived again', times.repeated, 0),
  differs('duplicates although a search should have found the first', unexplained.length, 0),
].filter(Boolean);
for (const fault of faults) console.log(`  ${fault}`);

// The worker has more to do beside tickets, so only its turns without them show how busy the machine is.
const turns = median(rounds.map(({ without }) => Math.max(without.worker.p99, without.here.p99)));
const others = median(rounds.flatMap(found => [found.with.others, found.without.others]));
const isBusy = turns > BUSY_TURN_MS || others > OTHERS_AT_MOST;
console.log(
  `  p99 of the turns of the event loops without tickets ${ms(turns, 0)} (at most ${BUSY_TURN_MS}); other processes ` +
    `used ${(others * 100).toFixed(0)} % of the cores (at most ${OTHERS_AT_MOST * 100} %)`,
);
if (isBusy) console.log('  no result: this machine is too busy');
const isEnough = areEnough(ROUNDS);
if (!isEnough) console.log(`  no result: an even number of at least ${LEAST_ROUNDS} rounds gives one`);
if (isEnough && !isBusy) {
  row({
    figure: 'webhooks beside tickets that change, p99 from event to arrival, beside none: median of the rounds',
    ours: ms(whole.with.p99, 1),
    peer: ms(whole.without.p99, 1),
    ratio: summary.median,
    atMost: TARGET,
  });
}
if (!(summary.median <= TARGET) || isBusy || !isEnough || faults.length > 0) process.exitCode = 1;

/**
 * People violate the policy, and some incidents are resolved. Returns the times of events, the turns of the event loops,
 * and the share of the cores that processes other than those of the bench use.
 */
async function phase(people, seconds) {
  const resolving = [];
  await worker.ask('watch');
  const before = await othersCpu();
  const here = watchTurns();
  const measured = await times.during(seconds, async begun => {
    await violateInTurn(rig, people, begun, seconds, (email, at) => {
      if (at % ONE_RESOLVED_IN === 0) resolving.push(resolve(email));
    });
    await Promise.all(resolving);
  });
  const after = await othersCpu();
  const others = (after.ms - before.ms) / (after.at - before.at) / availableParallelism();
  return { times: measured, others, here: here.stop(), worker: await worker.ask('turns') };
}

/** CPU time of the processes that are not of the bench. 0 on systems without /proc. */
async function othersCpu() {
  const machine = cpuOfMachine();
  const ours = Object.values(await rig.cpuTimes(worker)).reduce((sum, value) => sum + (value ?? 0), 0);
  return { at: monotonicMs(), ms: machine === undefined ? 0 : machine - ours - cpuOf(jira.pid).own };
}

async function resolve(email) {
  await sleep(RESOLVED_AFTER_MS);
  const [{ id }] = await rig.sql('select id from governance.incidents where org_id = $1 and user_email = $2', [
    ...[rig.orgId, email],
  ]);
  await rig.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
}

function turnsOf({ here, worker: its }) {
  return `${here.p99.toFixed(0)}/${its.p99.toFixed(0)}`;
}

function differs(what, found, expected) {
  return found === expected ? undefined : `${what}: ${found} instead of ${expected}`;
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
