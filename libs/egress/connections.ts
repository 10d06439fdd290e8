import { Socket, type LookupFunction } from 'node:net';
import { Agent, buildConnector, errors } from 'undici';

/** Maximum size of response headers. Regular servers stay below it, and Node has the same default. */
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Timeout for connecting in milliseconds. It is longer than the default timeout of a call, so that the timer of the
 * call usually ends first.
 */
const CONNECT_TIMEOUT_MS = 10_500;

/**
 * Milliseconds after which an idle connection is closed. Most servers keep connections longer (often 5 s), so a request
 * is not sent on a connection that the server is closing.
 */
const IDLE_MS = 4_000;

/**
 * Upper limit for a server's `keep-alive: timeout=…`. It is also the age at which a busy connection is replaced. In
 * milliseconds.
 */
const LIFETIME_MS = 30_000;

/**
 * Delay before the next address is tried, in milliseconds. Node's default of 250 ms is shorter than the round trip to a
 * distant server.
 */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** If this many connections are open, a connection is closed after its response instead of being kept alive. */
const MAX_OPEN_TO_KEEP = 512;

/** Number of open connections for all purposes together. */
export class OpenConnections {
  count = 0;

  constructor(readonly maxToKeep = MAX_OPEN_TO_KEEP) {}
}

/** Checks the addresses of connections. */
export interface AddressJudge {
  /** Finds the permitted addresses of a name, for connections to this port, with TLS or without. */
  lookupFor(port: number, isPlain: boolean): LookupFunction;
  /** Whether the port has rules of its own. */
  namesPort(port: number): boolean;
  /** Whether responses from this address may be shown. */
  mayShow(address: string, port: number): boolean;
}

/** Stands for all ports that have no rules of their own. */
const OTHER_PORTS = 0;

/**
 * Outbound connections for one purpose: HTTP/1.1 with verified TLS, or without TLS for `http:` URLs. Connections are
 * kept alive. Purposes do not share connections, because their allowed addresses differ.
 */
export class Connections {
  private readonly agent: Agent;
  private readonly connectors = new Map<string, buildConnector.connector>();
  /** Number of open connections whose responses may not be shown, by host and port. */
  private readonly hidden = new Map<string, number>();
  /** Every connection, from its DNS lookup until it is closed. */
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly judge: AddressJudge,
    connectionsPerOrigin?: number,
    private readonly opened = new OpenConnections(),
  ) {
    if (connectionsPerOrigin !== undefined && !(Number.isInteger(connectionsPerOrigin) && connectionsPerOrigin >= 1)) {
      throw new Error(`egress.connectionsPerOrigin: ${connectionsPerOrigin} is not a whole number of at least 1`);
    }
    this.agent = new Agent({
      allowH2: false,
      // The pool has no limit of its own, because callers limit their parallel calls. A call that waits for a
      // connection would spend its timeout on other calls to the same host.
      connections: connectionsPerOrigin ?? null,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // undici's timeouts are disabled, because each call has its own timer, from the DNS lookup to the end.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LIFETIME_MS,
      clientTtl: LIFETIME_MS,
      connect: (options, callback) => {
        const isPlain = options.protocol === 'http:';
        const port = Number(options.port || (isPlain ? 80 : 443));
        // The connector returns the socket before it is connected. Its types do not express this.
        const socket: unknown = this.connectorFor(port, isPlain)(options, (...[error, connected]) => {
          if (error) return callback(error, null);
          this.count(connected, options.hostname, port);
          return callback(null, connected);
        });
        if (socket instanceof Socket) this.hold(socket);
      },
    });
  }

  dispatch(options: Agent.DispatchOptions, handler: Parameters<Agent['dispatch']>[1]): void {
    const { count, maxToKeep } = this.opened;
    this.agent.dispatch(count < maxToKeep ? options : { ...options, reset: true }, handler);
  }

  /**
   * Whether responses from the host may be shown now. If the host has several addresses, every address with an open
   * connection must permit it.
   */
  mayShow(host: string, port: number): boolean {
    return !this.hidden.has(keyOf(host, port));
  }

  private connectorFor(port: number, isPlain: boolean): buildConnector.connector {
    const key = `${this.judge.namesPort(port) ? port : OTHER_PORTS} ${isPlain}`;
    const known = this.connectors.get(key);
    if (known) return known;
    const made = buildConnector({
      lookup: this.judge.lookupFor(port, isPlain),
      // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
      rejectUnauthorized: true,
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    });
    this.connectors.set(key, made);
    return made;
  }

  /**
   * Does not use a shared `signal`, because Node would never remove its listener and would keep every closed socket in
   * memory.
   */
  private hold(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private count(socket: Socket, host: string, port: number): void {
    const key = keyOf(host, port);
    const isHidden = !this.judge.mayShow(socket.remoteAddress ?? '', port);
    this.opened.count += 1;
    if (isHidden) this.hidden.set(key, (this.hidden.get(key) ?? 0) + 1);
    socket.once('close', () => {
      this.opened.count -= 1;
      if (!isHidden) return;
      const left = (this.hidden.get(key) ?? 1) - 1;
      if (left > 0) this.hidden.set(key, left);
      else this.hidden.delete(key);
    });
  }

  /** Closes all connections at once, including those that are not established yet. */
  close(): Promise<void> {
    const closed = this.agent.destroy();
    // Without this, undici would keep connections that are being established until their timeout.
    for (const socket of this.sockets) socket.destroy(new errors.ClientDestroyedError());
    return closed;
  }
}

function keyOf(host: string, port: number): string {
  return `${host}:${port}`;
}
