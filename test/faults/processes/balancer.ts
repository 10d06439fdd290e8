import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const PROBE_EVERY_MS = 100;

/** A load balancer that sends requests only to ready replicas, as Kubernetes and HAProxy do. */
export interface Balancer {
  readonly url: string;
  /** Adds a replica. The replica gets requests as soon as it is ready. */
  add(name: string, url: string): void;
  /** Removes a stopped replica. */
  remove(name: string): void;
  /** Whether a replica gets requests now. */
  isReady(name: string): boolean;
  /** Requests sent to each replica so far, by its name. */
  readonly sent: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Replica {
  readonly name: string;
  readonly url: string;
  isReady: boolean;
}

/**
 * Starts a load balancer on a free port. It keeps connections open and does not retry: a failure reaches the client.
 */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const sent = new Map<string, number>();
  let replicas: Replica[] = [];
  let turn = 0;

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const ready = replicas.filter(({ isReady }) => isReady);
    const replica = ready[turn++ % ready.length];
    if (!replica) return void outgoing.writeHead(502).end('no replica is ready');
    sent.set(replica.name, (sent.get(replica.name) ?? 0) + 1);
    const { connection: _hop, ...headers } = incoming.headers;
    const { method } = incoming;
    const onward = request(new URL(incoming.url ?? '/', replica.url), { agent, method, headers }, answer => {
      const { connection: _ended, ...said } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, said);
      answer.pipe(outgoing);
    });
    onward.once('error', error => outgoing.writeHead(502).end(`${replica.name}: ${error.message}`));
    incoming.pipe(onward);
  };

  const probe = async (replica: Replica): Promise<void> => {
    const answer = await fetch(`${replica.url}/health/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    replica.isReady = answer?.ok ?? false;
  };
  const over = new AbortController();
  const probes = (async () => {
    while (!over.signal.aborted) {
      await Promise.all(replicas.map(probe));
      await new Promise(done => setTimeout(done, PROBE_EVERY_MS));
    }
  })();

  const server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    add: (name, url) => void (replicas = [...replicas, { name, url, isReady: false }]),
    remove: name => void (replicas = replicas.filter(replica => replica.name !== name)),
    isReady: name => replicas.some(replica => replica.name === name && replica.isReady),
    sent,
    close: async () => {
      over.abort();
      await probes;
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
