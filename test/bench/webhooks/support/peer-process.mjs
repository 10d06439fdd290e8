// Alternative job engines for webhooks, in a separate process.
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run as runGraphile } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { answerTo } from './answer-to.mjs';

const NAME = 'bench';
const CONCURRENCY = 16;
/** All jobs that can be due between two polls. */
const BATCH = 200;

/** Starts an engine. Returns a function that adds a job for a given time, and a function that stops the engine. */
const engines = {
  async graphile(url, pollMs, perform) {
    const runner = await runGraphile({
      connectionString: url,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      ...(pollMs === undefined ? {} : { pollInterval: pollMs }),
      taskList: { [NAME]: async ({ due }) => perform(due) },
    });
    return {
      add: due => runner.addJob(NAME, { due }, { runAt: new Date(due) }),
      stop: () => runner.stop(),
    };
  },
  async boss(url, pollMs, perform) {
    const boss = new PgBoss({ connectionString: url });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.createQueue(NAME);
    const polling = pollMs === undefined ? {} : { pollingIntervalSeconds: pollMs / 1_000 };
    await boss.work(NAME, { ...polling, batchSize: BATCH }, async jobs => {
      for (const { data } of jobs) perform(data.due);
    });
    return {
      add: due => boss.send(NAME, { due }, { startAfter: new Date(due) }),
      stop: () => boss.stop({ graceful: true, close: true }),
    };
  },
};

answerTo({
  /** How late each job started, in milliseconds. */
  async run({ url, engine, pollMs, jobs, everyMs, delayMs }) {
    const late = [];
    const { add, stop } = await engines[engine](url, pollMs, due => late.push(Date.now() - due));
    for (let number = 0; number < jobs; number++) {
      await add(Date.now() + delayMs);
      await sleep(everyMs);
    }
    while (late.length < jobs) await sleep(50);
    await stop();
    return late;
  },
});
