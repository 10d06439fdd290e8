import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy before a PostgreSQL server that distinguishes connections by application name. */
export interface PostgresGate {
  /** The URL of a server through the proxy. */
  urlFor(url: string): string;
  /** New connections go to this port from now on. A restarted server may have another port. */
  leadTo(port: number): void;
  /**
   * Delays the answers of the server by this many milliseconds: all answers, or only answers that contain these words.
   */
  slowDown(milliseconds: number, words?: string): void;
  /**
   * Freezes the open connections of this application name in both directions, without notice to either side. Returns
   * their number. New connections work normally.
   */
  silence(applicationName: string): number;
  close(): Promise<void>;
}

interface Passage {
  introduction: string;
  silence(): void;
  end(): void;
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function openGate(toPort: number): Promise<PostgresGate> {
  const passages = new Set<Passage>();
  let target = toPort;
  let delayOf = (_chunk: Buffer): number => 0;
  const server = createServer(client => {
    const passage = pass(client, connect(target, '127.0.0.1'), chunk => delayOf(chunk), () => passages.delete(passage)); // prettier-ignore
    passages.add(passage);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: url => {
      const through = new URL(url);
      through.port = String(port);
      return through.href;
    },
    leadTo: next => {
      target = next;
    },
    slowDown: (milliseconds, words = '') => {
      delayOf = chunk => (chunk.includes(words) ? milliseconds : 0);
    },
    silence: name => {
      const silenced = [...passages].filter(({ introduction }) =>
        introduction.includes(`\0application_name\0${name}\0`),
      );
      silenced.forEach(passage => passage.silence());
      return silenced.length;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      passages.forEach(passage => passage.end());
      await closed;
    },
  };
}

/** One connection. Its first bytes contain the application name in plain text. */
function pass(client: Socket, target: Socket, delayOf: (chunk: Buffer) => number, gone: () => void): Passage {
  let isSilent = false;
  const end = (): void => {
    client.destroy();
    target.destroy();
    gone();
  };
  const passage: Passage = { introduction: '', silence: () => void (isSilent = true), end };
  client.once('data', chunk => (passage.introduction = chunk.toString('latin1')));
  client.on('data', chunk => !isSilent && target.write(chunk));
  target.on('data', chunk => {
    if (isSilent) return;
    const delayMs = delayOf(chunk);
    if (delayMs === 0) client.write(chunk);
    else setTimeout(() => client.write(chunk), delayMs);
  });
  for (const socket of [client, target]) {
    socket.setNoDelay(true);
    // Followed by `close`.
    socket.on('error', () => undefined);
    socket.on('close', () => isSilent || end());
  }
  return passage;
}
