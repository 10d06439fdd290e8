import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OrgDatabase } from '../../../../dist/libs/database/index.js';
import { GovernanceOperations } from '../../../../dist/libs/governance/index.js';
import { EVENT_TYPES, EventOutbox } from '../../../../dist/libs/outbox/index.js';
import { makeAuthority } from '../../../support/certificates.ts';
import { call, startApp, startDatabase } from '../../support/server.mjs';
import { monotonicMs } from './clock.mjs';
import { startHelper } from './helper.mjs';

/**
 * With `BENCH_PROFILE=<folder>`, workers write CPU profiles to the folder, PostgreSQL logs the plans of slow statements
 * there, and the most expensive statements are printed.
 */
export const PROFILE = process.env.BENCH_PROFILE;

const PROFILING_FLAGS = [
  'shared_preload_libraries=pg_stat_statements,auto_explain',
  'pg_stat_statements.track_planning=on',
  'auto_explain.log_min_duration=10',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
];

/** Kernel ticks per second in /proc. */
const TICKS = 100;
const FIRE_AT_ONCE = 500;

/**
 * A database, an app that accepts events but delivers none, and a receiver in a separate process. `startWorker` starts
 * each delivering process.
 */
export async function startRig({ ports = 1 } = {}) {
  const authority = await makeAuthority();
  const caFile = authority.caFile();
  const database = await startDatabase(PROFILE ? PROFILING_FLAGS : []);
  const receiver = startHelper('receiver-process.mjs');
  const origins = (await receiver.ask('listen', { ...(await authority.issue()), ports })).map(
    port => `https://127.0.0.1:${port}`,
  );
  const main = await startApp(database.url, {
    requestsPerMinute: 0,
    outbox: { workers: false },
    egress: { allow: ['127.0.0.0/8'] },
  });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined); // The server may stop before the pool.
  if (PROFILE) await pool.query('create extension if not exists pg_stat_statements');
  const { rows } = await pool.query('show data_directory');
  const postmaster = Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const outbox = main.app.get(EventOutbox);
  const orgDatabase = main.app.get(OrgDatabase);
  const workers = new Set();
  const sql = async (text, values) => (await pool.query(text, values)).rows;
  const change = (id, patch) => call(main.url, main.token, 'PATCH', `/v1/webhooks/${id}`, patch);

  return {
    origins,
    receiver,
    sql,
    databaseUrl: database.url,
    orgId: main.orgId,

    call: (method, path, body) => call(main.url, main.token, method, path, body),
    /** A certificate for another server on this machine. Workers trust it. */
    issueCertificate: () => authority.issue(),

    /** The id of a new webhook. */
    addWebhook: async (url, fields = {}) =>
      (await call(main.url, main.token, 'POST', '/v1/webhooks', { url, ...fields })).id,
    pause: ids => Promise.all(ids.map(id => change(id, { enabled: false }))),
    resume: ids => Promise.all(ids.map(id => change(id, { enabled: true }))),

    /** Fires events in transactions of the given size. Each event has its number in `details`. */
    async fire(count, { first = 0, atOnce = FIRE_AT_ONCE, type } = {}) {
      for (let begun = 0; begun < count; begun += atOnce) {
        const size = Math.min(atOnce, count - begun);
        const events = Array.from({ length: size }, (_, at) => eventOf(first + begun + at, type));
        await orgDatabase.transaction(main.orgId, em => outbox.fire(em, main.orgId, events));
      }
    },

    /** Another organization, with one webhook per URL. Each webhook gets its own event type. */
    async addOrganization(name, hookUrls) {
      const { orgId, token } = await main.app.get(GovernanceOperations).createOrganization(name);
      for (const [at, url] of hookUrls.entries()) {
        await call(main.url, token, 'POST', '/v1/webhooks', { url, events: [EVENT_TYPES[at]] });
      }
      return {
        /** Fires an event for one of the webhooks. Resolves with the time right after the commit. */
        async fire(at, number) {
          await orgDatabase.transaction(orgId, em => outbox.fire(em, orgId, [eventOf(number, EVENT_TYPES[at])]));
          return monotonicMs();
        },
      };
    },

    async startWorker(options = {}, { execArgv = [] } = {}) {
      const profiling = PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE}`] : [];
      const worker = startHelper('worker-process.mjs', {
        env: { NODE_EXTRA_CA_CERTS: caFile },
        execArgv: [...profiling, ...execArgv],
      });
      workers.add(worker);
      await worker.ask('start', { url: database.url, options });
      return Object.assign(worker, {
        async stop() {
          workers.delete(worker);
          await worker.ask('stop');
          await worker.ended;
        },
      });
    },

    /** Resolves when no task is left. */
    async drained() {
      const left = 'select exists (select from governance.tasks where quarantined_at is null) as left';
      while ((await sql(left))[0].left) await sleep(10);
    },

    /** Milliseconds of CPU time that each process has used so far. Undefined for PostgreSQL without /proc. */
    async cpuTimes(worker) {
      return {
        worker: (await worker.ask('usage')).cpuMs,
        receiver: (await receiver.ask('state')).cpuMs,
        postgres: cpuOfTree(postmaster),
        main: ownCpuMs(),
      };
    },

    async resetStatements() {
      if (PROFILE) await sql('select pg_stat_statements_reset()');
    },

    /** Prints the statements on which PostgreSQL spent most time since the reset. */
    async printStatements(count) {
      if (!PROFILE) return;
      const found = await sql(
        `select calls, rows, round(total_plan_time)::int as planning, round(total_exec_time)::int as running,
           left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as query
         from pg_stat_statements order by total_plan_time + total_exec_time desc limit $1`,
        [count],
      );
      console.log('    planning ms  running ms    calls     rows');
      for (const { planning, running, calls, rows, query } of found) {
        const figures = [
          [planning, 11],
          [running, 10],
          [calls, 7],
          [rows, 7],
        ];
        console.log(`    ${figures.map(([value, width]) => String(value).padStart(width)).join('  ')}  ${query}`);
      }
    },

    async stop() {
      for (const worker of workers) await worker.stop();
      if (PROFILE) copyFileSync(join(rows[0].data_directory, '..', 'postgres.log'), join(PROFILE, 'postgres.log'));
      await pool.end();
      await main.stop();
      await receiver.end();
      await database.stop();
    },
  };
}

const EVENT = {
  alert_id: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21',
  severity: 'high',
  user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  policy_id: '0199c2a8-6f42-7c18-a0d3-92e4b7c61f05',
  provider: 'openai',
  model: 'gpt-4o',
};

function eventOf(number, type = 'policy_violation') {
  return {
    type,
    data: { ...EVENT, details: { number, policy_name: 'Large models are for Research', action: 'block' } },
  };
}

function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Sums the CPU time of a process and its children. The counters of a process include its children that have ended. */
function cpuOfTree(parent) {
  try {
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const fields = statOf(name);
      if (!fields) continue;
      if (Number(name) === parent) ticks += fields[11] + fields[12] + fields[13] + fields[14];
      else if (fields[1] === parent) ticks += fields[11] + fields[12];
    }
    return (ticks * 1_000) / TICKS;
  } catch {
    return undefined;
  }
}

/** The fields after the name in parentheses: state, parent, …, utime, stime, cutime, cstime. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}
