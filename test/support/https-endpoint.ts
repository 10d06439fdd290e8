import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import { certificateOf, type Authority, type CertificateKind, type KeyedCertificate } from './certificates.js';
import { answer, BEHAVIOURS, type Behaviour, type BehaviourName, type ReceivedRequest } from './endpoint-behaviours.js';

export type { CertificateKind };

/** A behavior, its name, or a status to answer with. */
export type Doing = Behaviour | BehaviourName | number;

/** Chooses the behavior for each request. `n` counts the requests of the endpoint, beginning with 1. */
export type EndpointScript = (request: ReceivedRequest, n: number) => Doing;

export interface EndpointOptions {
  authority: Authority;
  /** The behavior for requests. Default: `ok`. */
  behaviour?: Doing | EndpointScript;
  /** The certificate for new connections. Default: valid. */
  certificate?: CertificateKind;
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** Further names of the certificate, in addition to `localhost` and the host. */
  names?: readonly string[];
  /** Whether requests are stored in `requests`. Default: true. With false, they are only counted. */
  keep?: boolean;
}

/** An HTTPS server whose behavior a test controls. */
export interface Endpoint {
  /** `https://host:port/` */
  readonly url: string;
  readonly port: number;
  /** The requests, in the order in which they arrived completely. */
  readonly requests: ReceivedRequest[];
  /** Number of completely received requests, stored or not. */
  readonly requestCount: number;
  /** TCP connections accepted so far. */
  readonly connections: number;
  /** TCP connections open now. */
  readonly openConnections: number;
  /** The address of the endpoint with another host name. */
  urlFor(name: string, path?: string): string;
  /** Sets the behavior for all requests that arrive completely after this call. */
  behave(next: Doing | EndpointScript): void;
  /** Uses another certificate from now on, and closes the open connections. */
  present(kind: CertificateKind): Promise<void>;
  /**
   * Resolves when this many requests have arrived. Rejects after the time limit, with the number of requests that
   * arrived.
   */
  reach(count: number, withinMs?: number): Promise<void>;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** Starts an endpoint on a free port. */
export async function startEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { authority, host = '127.0.0.1', keep = true } = options;
  const requests: ReceivedRequest[] = [];
  const open = new Map<string, { socket: Socket; number: number }>();
  const waiting = new Set<() => void>();
  let current: Doing | EndpointScript = options.behaviour ?? 'ok';
  let requestCount = 0;
  let connections = 0;

  const receive = (incoming: IncomingMessage, response: ServerResponse): void => {
    const arrivedAt = Date.now();
    const arrivedTick = performance.now();
    const chunks: Buffer[] = [];
    const { socket } = incoming;
    const connection = open.get(peerOf(socket));
    // Ignores errors, because a connection may break at any point.
    response.on('error', () => undefined);
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      requestCount += 1;
      let doing: Doing | EndpointScript = current;
      if (keep || typeof doing === 'function') {
        const { method = '', url: path = '', headers } = incoming;
        const body = Buffer.concat(chunks);
        const number = connection?.number ?? 0;
        const request = { method, path, headers, body, arrivedAt, arrivedTick, connection: number };
        if (keep) requests.push(request);
        if (typeof doing === 'function') doing = doing(request, requestCount);
      }
      waiting.forEach(check => check());
      toBehaviour(doing).act({ response, socket, reset: () => void connection?.socket.resetAndDestroy() });
    });
  };

  const subjects = [host, ...(options.names ?? [])];
  const show = (kind: CertificateKind): Promise<KeyedCertificate> => certificateOf(kind, authority, subjects);
  // Turns the server's time limits off. They would end slow answers, and connections that a client keeps open.
  const limits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
  const server = createServer({ ...(await show(options.certificate ?? 'valid')), ...limits, noDelay: true }, receive);
  server.on('connection', stream => {
    // The cast is safe: the type allows other streams, but here they are always network sockets.
    const socket = stream as Socket;
    connections += 1;
    const peer = peerOf(socket);
    open.set(peer, { socket, number: connections });
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(peer));
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  await new Promise<void>(done => server.listen(0, host, done));
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  const urlFor = (name: string, path = '/'): string =>
    `https://${isIP(name) === 6 ? `[${name}]` : name}:${port}${path}`;
  const disconnect = async (): Promise<void> => {
    const ends = [...open.values()].map(({ socket }) => new Promise(done => socket.once('close', done).destroy()));
    await Promise.all(ends);
  };

  return {
    url: urlFor(host),
    port,
    requests,
    get requestCount() {
      return requestCount;
    },
    get connections() {
      return connections;
    },
    get openConnections() {
      return open.size;
    },
    urlFor,
    behave: next => {
      current = next;
    },
    present: async kind => {
      server.setSecureContext(await show(kind));
      await disconnect();
    },
    reach: (count, withinMs = 60_000) =>
      new Promise((done, fail) => {
        const check = (): void => {
          if (requestCount < count) return;
          end();
          done();
        };
        const timer = setTimeout(() => {
          end();
          fail(new Error(`${requestCount} of ${count} requests arrived within ${withinMs} ms`));
        }, withinMs);
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
    close: async () => {
      const closed = new Promise<void>(done => server.close(() => done()));
      await Promise.all([disconnect(), closed]);
    },
  };
}

/** TCP sockets and TLS sockets both have this method. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}

const STATUSES = new Map<number, Behaviour>();

function toBehaviour(doing: Doing): Behaviour {
  if (typeof doing === 'string') return BEHAVIOURS[doing];
  if (typeof doing !== 'number') return doing;
  let behaviour = STATUSES.get(doing);
  if (behaviour === undefined) STATUSES.set(doing, (behaviour = answer(doing)));
  return behaviour;
}
