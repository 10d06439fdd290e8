import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { certificateOf, type Authority } from '../certificates.js';
import { ANTHROPIC } from './anthropic/vendor.js';
import { AnswerWriter } from './answer-writer.js';
import { Ledger, type ServedCall, type ServedTotals } from './ledger.js';
import { OPENAI } from './openai/vendor.js';
import { Scripts, type Script } from './script.js';
import { serve } from './serve.js';
import { ProviderError, type Asked, type Vendor, type VendorContext } from './vendor.js';

const VENDORS = { openai: OPENAI, anthropic: ANTHROPIC } satisfies Record<string, Vendor>;

export interface ProviderOptions {
  kind: keyof typeof VENDORS;
  /** Serves HTTPS with a certificate of this authority. Default: HTTP. */
  authority?: Authority;
  /** Accepted API keys. Default: the key in the field `key`. */
  keys?: readonly string[];
  /** Models in addition to those of the vendor. */
  models?: readonly string[];
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** Default: a free port. */
  port?: number;
  /** Whether requests are stored in `served`. Default: true. Load tests set false, and then only `totals` count. */
  keep?: boolean;
}

/** An emulated LLM provider. A test sets its behavior, and it records every request. */
export interface Provider {
  readonly kind: keyof typeof VENDORS;
  /** The provider's base URL, without a slash at the end and without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** An accepted key. */
  readonly key: string;
  /** Every completely received request, in order. */
  readonly served: readonly ServedCall[];
  readonly totals: Readonly<ServedTotals>;
  /** Requests whose answer has not ended. */
  readonly openCalls: number;
  readonly openSockets: number;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Sets the answers of all later requests, or only of later requests for one model. */
  behave(script: Script, model?: string): void;
  /** Sets the answers of the next requests for a model, one script each. They take precedence over `behave`. */
  next(...scripts: readonly Script[]): void;
  /** Resolves when the condition is true. The condition is checked whenever a request arrives, changes or ends. */
  until(condition: () => boolean, withinMs?: number): Promise<void>;
  /** Resolves when no request is open. */
  idle(withinMs?: number): Promise<void>;
  /** Refuses new connections and closes open ones. */
  refuse(): Promise<void>;
  /** Listens again on the same port. */
  accept(): Promise<void>;
  /** Removes scripts and recorded requests. */
  clear(): void;
  close(): Promise<void>;
}

/** Starts a provider. */
export async function startProvider(options: ProviderOptions): Promise<Provider> {
  const { kind, authority, host = '127.0.0.1', keep = true, models = [] } = options;
  const vendor: Vendor = VENDORS[kind];
  const keys = new Set(options.keys ?? [vendor.defaultKey]);
  const [key = vendor.defaultKey] = keys;
  const ledger = new Ledger(keep);
  const scripts = new Scripts();
  const sockets = new Map<string, Socket>();
  let connections = 0;
  const context: VendorContext = {
    isKnownKey: key => keys.has(key),
    isKnownModel: model => models.includes(model) || scripts.names(model),
    models,
  };
  const receiver = new Receiver({
    vendor,
    ledger,
    scripts,
    context,
    keep,
    rawOf: socket => sockets.get(peerOf(socket)),
  });
  const receive = (request: IncomingMessage, response: ServerResponse): void => receiver.receive(request, response);

  // No time limit of the server may end a slow answer, or a connection that a client wants to keep open.
  const limits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, noDelay: true };
  const server: Server = authority
    ? createTlsServer({ ...(await certificateOf('valid', authority, [host])), ...limits }, receive)
    : createServer(limits, receive);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    const peer = peerOf(socket);
    sockets.set(peer, socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(peer);
      ledger.changed();
    });
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  const listen = (port: number): Promise<void> =>
    new Promise((done, fail) => {
      server.once('error', fail);
      server.listen(port, host, () => {
        server.off('error', fail);
        done();
      });
    });
  const disconnect = async (): Promise<void> => {
    const closed = new Promise<void>(done => server.close(() => done()));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  };
  await listen(options.port ?? 0);
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;

  return {
    kind,
    url: `${authority ? 'https' : 'http'}://${host}:${port}`,
    port,
    key,
    served: ledger.calls,
    get totals() {
      return ledger.totals;
    },
    get openCalls() {
      return ledger.open;
    },
    get openSockets() {
      return sockets.size;
    },
    get connections() {
      return connections;
    },
    behave: (script, model) => scripts.behave(script, model),
    next: (...next) => scripts.next(...next),
    until: (condition, withinMs = 10_000) => ledger.until(condition, withinMs),
    idle: (withinMs = 10_000) => ledger.until(() => ledger.open === 0, withinMs),
    refuse: disconnect,
    accept: () => listen(port),
    clear: () => {
      scripts.clear();
      ledger.clear();
    },
    close: disconnect,
  };
}

interface ReceiverParts {
  vendor: Vendor;
  ledger: Ledger;
  scripts: Scripts;
  context: VendorContext;
  keep: boolean;
  rawOf(socket: Socket): Socket | undefined;
}

/** Receives requests and answers them. */
class Receiver {
  readonly #parts: ReceiverParts;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const [only] = chunks;
      const body = chunks.length === 1 && only ? only : Buffer.concat(chunks);
      this.#answer(request, response, body.toString()).catch((error: unknown) => void response.destroy(asError(error)));
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const { vendor, ledger, scripts, context, keep } = this.#parts;
    const { method = '', url = '', headers, socket } = request;
    const requestId = vendor.newRequestId();
    const call = newCall({ requestId, method, path: url, key: vendor.keyOf(headers), headers });
    ledger.begin(call);
    response.once('close', () => ledger.end(call, 'cut'));
    const common = { [vendor.requestIdHeader]: requestId, ...vendor.headers };
    const fail = (error: ProviderError, more: Record<string, string> = {}): void => {
      call.status = error.status;
      this.#send(response, call, error.status, vendor.errorBody(error, requestId), { ...common, ...more });
    };
    let asked: Asked;
    try {
      const path = url.includes('?') ? url.slice(0, url.indexOf('?')) : url;
      asked = vendor.check({ method, path, headers, text }, context);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return fail(error);
    }
    if (asked.kind === 'fact') return this.#send(response, call, 200, asked.json, common);
    call.model = asked.model;
    call.stream = asked.stream;
    if (keep) call.body = asked.body;
    const script = scripts.take(asked.model);
    ledger.changed();
    const writer = new AnswerWriter(response, script, this.#parts.rawOf(socket) ?? socket);
    if (script.error !== undefined) {
      if (script.firstByteMs !== undefined) await writer.pause(script.firstByteMs);
      const { error, headers: more } = vendor.scriptedError(script.error);
      return fail(error, more);
    }
    await serve({
      call,
      ledger,
      script,
      answer: asked.answer(script),
      writer,
      headers: common,
      acceptsGzip: headers['accept-encoding']?.includes('gzip') ?? false,
      refuse: async error => fail(error),
    });
    if (script.dropKeepAlive) this.#parts.rawOf(socket)?.destroySoon();
  }

  #send(
    response: ServerResponse,
    call: ServedCall,
    status: number,
    json: string,
    headers: Record<string, string>,
  ): void {
    if (response.destroyed) return;
    const length = String(Buffer.byteLength(json));
    call.status = status;
    response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length });
    response.end(json, () => this.#parts.ledger.end(call, status === 200 ? 'finished' : 'refused'));
  }
}

function newCall(known: Pick<ServedCall, 'requestId' | 'method' | 'path' | 'key' | 'headers'>): ServedCall {
  return {
    ...known,
    body: undefined,
    model: undefined,
    answeredModel: undefined,
    answerId: undefined,
    stream: false,
    status: 0,
    promptTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    sentTokens: 0,
    usage: undefined,
    usageSent: false,
    outcome: 'open',
  };
}

/** TCP sockets and TLS sockets both have this. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
