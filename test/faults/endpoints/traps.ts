import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Listeners that no request may reach. */
export interface Traps {
  /** Ports of the traps. */
  readonly ports: readonly number[];
  /** Number of accepted TCP connections by `address:port`; empty if there were none. */
  readonly caught: Readonly<Record<string, number>>;
  /** Resets the counts. */
  forget(): void;
  close(): Promise<void>;
}

const [IPV4, IPV6] = ['127.0.0.1', '::1'] as const;

/** Listens on both loopback addresses of this machine, at the given ports and at another free port. */
export async function setTraps(...ports: readonly number[]): Promise<Traps> {
  let caught: Record<string, number> = {};
  const servers: Server[] = [];
  const listen = async (address: string, port: number): Promise<number> => {
    const server = createServer(socket => {
      const place = `${address}:${socket.localPort}`;
      caught[place] = (caught[place] ?? 0) + 1;
      socket.destroy();
    });
    servers.push(server.listen({ host: address, port, ipv6Only: true }));
    await once(server, 'listening');
    // The address is a string only for pipes.
    return (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(server => new Promise(done => server.close(done))));
  };
  const own: number[] = [];
  try {
    own.push(await listen(IPV4, 0));
    for (const port of own) await listen(IPV6, port);
    for (const port of ports) for (const address of [IPV4, IPV6]) await listen(address, port);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports: [...ports, ...own],
    get caught() {
      return caught;
    },
    forget: () => {
      caught = {};
    },
    close,
  };
}
