import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network between a client and a server, with faults that a test switches on. */
export interface TcpProxy {
  readonly port: number;
  /** Open connections, frozen ones included. */
  readonly open: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Closes every connection on both sides. Accepts new connections as before. */
  cut(): void;
  /**
   * All connections, old and new, stay open but forward nothing: neither bytes nor the end of a connection. Bytes sent
   * meanwhile arrive after `thaw`.
   */
  freeze(): void;
  thaw(): void;
  /** Refuses new connections (ECONNREFUSED). Open connections continue. */
  refuse(): Promise<void>;
  /** Accepts new connections again, on the same port. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1, in front of another port. */
export async function startTcpProxy(targetPort: number, targetHost = '127.0.0.1'): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let frozen = false;
  let accepted = 0;
  const listen = async (port: number): Promise<Server> => {
    const server = createServer({ allowHalfOpen: true }, client => {
      accepted += 1;
      const pair = new Pair(client, connect({ port: targetPort, host: targetHost, allowHalfOpen: true }), () =>
        pairs.delete(pair),
      );
      pairs.add(pair);
      if (!frozen) pair.thaw();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server: Server | undefined = await listen(0);
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  const cut = (): void => pairs.forEach(pair => pair.destroy());
  const refuse = async (): Promise<void> => {
    // Does not wait for the callback, which waits for all connections. The listener closes at once.
    server?.close();
    server = undefined;
    await new Promise(setImmediate);
  };
  return {
    port,
    get open() {
      return pairs.size;
    },
    get accepted() {
      return accepted;
    },
    cut,
    freeze: () => {
      frozen = true;
      pairs.forEach(pair => pair.freeze());
    },
    thaw: () => {
      frozen = false;
      pairs.forEach(pair => pair.thaw());
    },
    refuse,
    accept: async () => {
      server ??= await listen(port);
    },
    close: async () => {
      await refuse();
      cut();
    },
  };
}

/** The two sockets of one connection. They start paused. */
class Pair {
  private readonly client: Socket;
  private readonly target: Socket;
  private readonly forget: () => void;
  private frozen = true;

  constructor(client: Socket, target: Socket, forget: () => void) {
    this.client = client;
    this.target = target;
    this.forget = forget;
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      // The `close` event follows, and ends the other socket.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!this.frozen) this.destroy();
      });
    }
  }

  freeze(): void {
    this.frozen = true;
    this.client.unpipe(this.target).pause();
    this.target.unpipe(this.client).pause();
  }

  thaw(): void {
    this.frozen = false;
    if (this.client.destroyed || this.target.destroyed) {
      this.destroy();
      return;
    }
    this.client.pipe(this.target);
    this.target.pipe(this.client);
  }

  destroy(): void {
    this.client.destroy();
    this.target.destroy();
    this.forget();
  }
}
