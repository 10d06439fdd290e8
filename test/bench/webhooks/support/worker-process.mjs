// A delivering process: with the engine, or in a bare loop that posts the same bytes.
import { Agent } from 'undici';
import { watchTurns } from '../../itsm/support/paired-rounds.ts';
import { startApp } from '../../support/server.mjs';
import { answerTo } from './answer-to.mjs';

let server;
let turns;

const commands = {
  start: async ({ url, options }) => {
    server = await startApp(url, { listen: false, egress: { allow: ['127.0.0.0/8'] }, ...options });
  },
  bare: async ({ url, count, concurrency, headers, body }) => {
    const agent = new Agent({ connections: concurrency, pipelining: 1, allowH2: false });
    const { origin, pathname } = new URL(url);
    const bytes = Buffer.from(body);
    let left = count;
    const post = async () => {
      while (left-- > 0) {
        const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body: bytes });
        if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
        await answer.body.dump();
      }
    };
    const begun = performance.now();
    await Promise.all(Array.from({ length: concurrency }, post));
    const seconds = (performance.now() - begun) / 1_000;
    await agent.close();
    return seconds;
  },
  usage: () => {
    const { user, system } = process.cpuUsage();
    const { heapUsed, rss, external } = process.memoryUsage();
    return { cpuMs: (user + system) / 1_000, heapUsed, rss, external };
  },
  /** Watches the event loop until `turns`. */
  watch: () => {
    turns = watchTurns();
  },
  turns: () => turns.stop(),
  collect: () => globalThis.gc?.(),
  stop: async () => {
    await server?.stop();
    setImmediate(() => process.exit());
  },
};

answerTo(commands);
