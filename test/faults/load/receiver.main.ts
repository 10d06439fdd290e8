// Receives webhooks over TLS in a separate process. Each endpoint is an origin that answers or hangs. Its path `/hangs`
// never answers. Node runs this file without a build: it may contain no syntax that must be compiled.
import { createServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The received requests, column by column, in the order of arrival. */
export interface Arrivals {
  /** Header `webhook-id`. */
  ids: string[];
  /** The number of the endpoint, beginning with 0. */
  endpoints: number[];
  /** Milliseconds of a monotonic clock that all processes of a machine share. */
  ticks: number[];
  paths: string[];
}

interface Listening {
  cert: string;
  key: string;
  endpoints: number;
}

let log: Arrivals = { ids: [], endpoints: [], ticks: [], paths: [] };
/** Delayed answers of hanging endpoints, by endpoint. An endpoint without an entry answers at once. */
const owed = new Map<number, ServerResponse[]>();

const commands = {
  /** Starts the endpoints. Returns their ports. */
  async listen({ endpoints, ...certificate }: Listening): Promise<number[]> {
    return Promise.all(Array.from({ length: endpoints }, (_, endpoint) => listen(endpoint, certificate)));
  },
  /**
   * Makes the first endpoints hang, and all later ones answer. Endpoints that no longer hang send their delayed
   * answers.
   */
  hang(count: number): void {
    for (const responses of owed.values()) for (const response of responses) response.writeHead(200).end();
    owed.clear();
    for (let endpoint = 0; endpoint < count; endpoint++) owed.set(endpoint, []);
  },
  count: (): number => log.ids.length,
  /** Returns the requests since the last call. */
  take(): Arrivals {
    const taken = log;
    log = { ids: [], endpoints: [], ticks: [], paths: [] };
    return taken;
  },
};

function listen(endpoint: number, certificate: { cert: string; key: string }): Promise<number> {
  const server = createServer({ ...certificate, keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
    log.ids.push(String(request.headers['webhook-id']));
    log.endpoints.push(endpoint);
    log.ticks.push(Number(process.hrtime.bigint()) / 1e6);
    log.paths.push(String(request.url));
    response.on('error', () => undefined);
    request.on('error', () => undefined).resume();
    request.once('end', () => {
      if (request.url === '/hangs') return;
      const debts = owed.get(endpoint);
      if (debts) debts.push(response);
      else response.writeHead(200, { 'content-length': 2 }).end('ok');
    });
  });
  return new Promise(done =>
    // The address is a string only for pipes.
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  );
}

process.on('message', message => {
  // The commands of startHelper.
  const { number, command, argument } = message as { number: number; command: keyof typeof commands; argument: never };
  const carriedOut: unknown = commands[command](argument);
  void Promise.resolve(carriedOut).then(result => process.send?.({ number, result }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
