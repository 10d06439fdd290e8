// Organizations of several sizes, each in a separate database. One process sends requests to them in turn, so that
// other work on the machine affects all of them.
import pg from 'pg';
import { ms, row } from '../support/row.mjs';
import { quantile, startApp, startDatabase } from '../support/server.mjs';

const SIZES = (process.env.BENCH_PEOPLE ?? '1000,100000').split(',').map(Number);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2_000);
const WARM_UP = 50;
const TARGET = 1.5;

/** The last printed heading. It names the rows of the table. */
let title = '';

/** Runs the work with a site of each size, `{ size, server, owner }`, after `fill` has created the people. */
export async function withSites(fill, work) {
  const database = await startDatabase(['max_connections=200']);
  const admin = new pg.Pool({ connectionString: database.url, max: 1 });
  const sites = [];
  for (const size of SIZES) {
    const url = new URL(database.url);
    url.pathname = `/people_${size}`;
    await admin.query(`create database people_${size}`);
    const server = await startApp(url.href, { requestsPerMinute: 0, outbox: { workers: false } });
    const owner = new pg.Pool({ connectionString: url.href, max: 2 });
    await fill(owner, server.orgId, size);
    await owner.query('vacuum analyze');
    sites.push({ size, server, owner });
  }
  await work(sites);
  for (const { server, owner } of sites) {
    await owner.end();
    await server.stop();
  }
  await admin.end();
  await database.stop();
}

/**
 * Sends requests to every site in turn, the same number for each kind of request. Prints p50, p99 and the ratio of p99
 * between the largest and the smallest site. If a ratio misses the target, the process exits with 1. `kinds`: by name,
 * a function that sends the nth request to a site. With `isBound` false, the ratio is printed but not checked.
 */
export async function compare(sites, kinds, { requests = REQUESTS, isBound = true } = {}) {
  const wanted = Object.entries(kinds).filter(([name]) => name.includes(process.env.BENCH_QUERY ?? ''));
  const times = new Map(wanted.map(([name]) => [name, sites.map(() => [])]));
  for (const [name, ask] of wanted) await takeTurns(sites, requests, { [name]: ask }, times);
  tell(times, isBound);
}

/**
 * Like {@link compare}, but each turn runs all kinds of requests one after the other, because these requests belong
 * together.
 */
export async function compareTogether(sites, kinds, requests) {
  const times = new Map(Object.keys(kinds).map(name => [name, sites.map(() => [])]));
  await takeTurns(sites, requests, kinds, times);
  return times;
}

async function takeTurns(sites, requests, kinds, times) {
  for (let request = -WARM_UP; request < requests; request++) {
    for (const [at, site] of sites.entries()) {
      for (const [name, ask] of Object.entries(kinds)) {
        const begun = performance.now();
        await ask(site, request + WARM_UP);
        if (request >= 0) times.get(name)[at].push(performance.now() - begun);
      }
    }
  }
}

/** Prints the figures and compares them with the target. */
export function tell(times, isBound = true) {
  for (const [name, values] of times) {
    const p99 = values.map(one => quantile(one, 0.99));
    const ratio = p99.at(-1) / p99[0];
    const figures = values.map(one => [0.5, 0.99].map(share => quantile(one, share).toFixed(1).padStart(7)).join(''));
    const verdict = !isBound
      ? ''
      : ratio <= TARGET
        ? `(target: at most ${TARGET})`
        : `MISSED (target: at most ${TARGET})`;
    console.log(
      `  ${name}`.padEnd(36) +
        `${figures.join('  ')}  of ${values[0].length}, ratio of p99 ${ratio.toFixed(2)} ${verdict}`,
    );
    row({
      figure: `${title}: ${name}, p99 at ${SIZES.at(-1)} people beside ${SIZES[0]}`,
      ours: ms(p99.at(-1), 1),
      peer: ms(p99[0], 1),
      ratio,
      ...(isBound ? { atMost: TARGET } : {}),
    });
    if (isBound && !(ratio <= TARGET)) process.exitCode = 1;
  }
}

/** The heading above the figures. */
export function headline(what) {
  title = what.replace(/,$/, '');
  console.log(`\n${what} at ${SIZES.join(' and ')} people: p50 and p99 in ms`);
}
