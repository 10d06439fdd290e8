import { Agent, buildConnector } from 'undici';
import type { LookupFunction } from 'node:net';

/** As much as honest servers need; the same as Node's own default. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Longer than any call waits, so that a call's own clock decides how it ends. */
const CONNECT_TIMEOUT_MS = 10_500;

/** Shorter than most servers keep an idle connection (often 5 s), so that requests do not cross its closing. */
const IDLE_MS = 4_000;

/** Most that a server's `keep-alive: timeout=…` can make of it, and the age at which a busy connection is renewed. */
const LIFETIME_MS = 30_000;

/** A first address that is dead costs at most this, in milliseconds; Node's default of 250 is less than a far round trip. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** With so many open, a connection is closed after its answer instead of being kept. */
const MAX_OPEN_TO_KEEP = 512;

/** The connections of the process to the outside: HTTP/1.1 over verified TLS, kept while they are in use. */
export class Connections {
  private readonly agent: Agent;
  private readonly closing = new AbortController();
  private open = 0;

  constructor(
    lookup: LookupFunction,
    connectionsPerOrigin?: number,
    private readonly maxOpenToKeep = MAX_OPEN_TO_KEEP,
  ) {
    if (connectionsPerOrigin !== undefined && !(Number.isInteger(connectionsPerOrigin) && connectionsPerOrigin >= 1)) {
      throw new Error(`egress.connectionsPerOrigin: ${connectionsPerOrigin} is not a whole number of at least 1`);
    }
    const connect = buildConnector({
      lookup,
      // Said here, it outweighs NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment.
      rejectUnauthorized: true,
      allowH2: false,
      signal: this.closing.signal,
      timeout: CONNECT_TIMEOUT_MS,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    });
    this.agent = new Agent({
      allowH2: false,
      // Without a limit of its own: whoever calls limits how many calls there are, and a call that waits for a
      // connection loses its time to others of the same host.
      connections: connectionsPerOrigin ?? null,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Each call has one clock of its own, from the first question for its name to the end.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LIFETIME_MS,
      clientTtl: LIFETIME_MS,
      connect: (options, callback) =>
        connect(options, (...[error, socket]) => {
          if (error) return callback(error, null);
          this.open += 1;
          socket.once('close', () => (this.open -= 1));
          return callback(null, socket);
        }),
    });
  }

  dispatch(options: Agent.DispatchOptions, handler: Parameters<Agent['dispatch']>[1]): void {
    this.agent.dispatch(this.open < this.maxOpenToKeep ? options : { ...options, reset: true }, handler);
  }

  /** Closes every connection at once, also those that are not established yet. */
  close(): Promise<void> {
    const closed = this.agent.destroy();
    this.closing.abort();
    return closed;
  }
}
