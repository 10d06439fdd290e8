// Receives webhooks in a separate process: over TLS, on the given number of ports, each with its own behavior.
import { createServer } from 'node:https';
import { answerTo } from './answer-to.mjs';
import { monotonicMs } from './clock.mjs';

/** The format of event numbers in the benchmarks. */
const NUMBER = /"number":(\d+)/;

let servers = [];
const behaviours = [];
/** Delayed answers of hanging servers, by server. */
const owed = new Map();
let sample;
let count = 0;
let counts = [];
let awaited;
/** The recorded arrivals, if recording is on. */
let log;
const failed = new Set();

const commands = {
  async listen({ key, cert, ports }) {
    servers = await Promise.all(Array.from({ length: ports }, (_, index) => listen(index, { key, cert })));
    return servers.map(server => server.address().port);
  },
  /**
   * By server: `answer` (200), delay of the answer in milliseconds, `hang`, or `fail first` (500 to the first request
   * of each id).
   */
  behave: changes => {
    for (const [index, behaviour] of Object.entries(changes)) {
      behaviours[index] = behaviour;
      if (behaviour === 'hang') continue;
      for (const response of owed.get(Number(index)) ?? []) response.writeHead(200).end();
      owed.delete(Number(index));
    }
  },
  /** Forgets all arrivals. With `isKept`, records every later arrival. */
  reset: ({ isKept = false } = {}) => {
    count = 0;
    counts = [];
    sample = undefined;
    failed.clear();
    log = isKept ? { at: [], id: [], server: [], number: [] } : undefined;
  },
  /** Resolves when this many requests have arrived since the last reset. */
  reach: expected =>
    new Promise(resolve => {
      awaited = { expected, resolve };
      tell();
    }),
  /** The number of arrivals, in total and at servers from the given index on. */
  state: ({ from = 0 } = {}) => ({
    count,
    fromCount: counts.slice(from).reduce((sum, value) => sum + (value ?? 0), 0),
    cpuMs: cpuMs(),
  }),
  sample: () => sample,
  log: () => log,
};

answerTo(commands);

function listen(index, options) {
  const server = createServer(options, (request, response) => receive(index, request, response));
  server.keepAliveTimeout = 60_000;
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function receive(index, request, response) {
  const at = monotonicMs();
  const id = request.headers['webhook-id'];
  if (log || !sample) {
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.once('end', () => note(index, at, request, Buffer.concat(chunks)));
  } else {
    request.resume();
    request.once('end', () => note(index, at, request));
  }
  const behaviour = behaviours[index] ?? 'answer';
  if (behaviour === 'hang') {
    owed.set(index, [...(owed.get(index) ?? []), response]);
    return;
  }
  let status = 200;
  if (behaviour === 'fail first' && !failed.has(id)) {
    failed.add(id);
    status = 500;
  }
  const answer = () => response.writeHead(status, { 'content-length': 2 }).end('ok');
  if (typeof behaviour === 'number') setTimeout(answer, behaviour);
  else answer();
}

function note(index, at, request, body) {
  count++;
  counts[index] = (counts[index] ?? 0) + 1;
  sample ??= { headers: request.headers, body: body.toString() };
  if (log) {
    log.at.push(at);
    log.id.push(request.headers['webhook-id']);
    log.server.push(index);
    log.number.push(Number(NUMBER.exec(body)?.[1] ?? -1));
  }
  tell();
}

function tell() {
  if (!awaited || count < awaited.expected) return;
  awaited.resolve(count);
  awaited = undefined;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
