import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP server that is not a web server. */
export interface RawEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Calls a function for each connection to a free port of 127.0.0.1. */
export async function startRawEndpoint(act: (socket: Socket) => void): Promise<RawEndpoint> {
  const open = new Set<Socket>();
  const server = createServer(socket => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    socket.resume();
    act(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
