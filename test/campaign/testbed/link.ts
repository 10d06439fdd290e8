import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The network between one replica and the database. */
export interface Link {
  readonly port: number;
  /** New connections go to this port of 127.0.0.1 from now on. */
  leadTo(port: number): void;
  /** Closes all connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Freezes all connections, old and new: they stay open without forwarding anything, until `mend`. */
  silence(): void;
  /** Delays answers of the database by this many milliseconds, until `mend`. */
  delay(milliseconds: number): void;
  /** Ends the fault. Closes the frozen connections. */
  mend(): void;
  close(): Promise<void>;
}

interface Passage {
  isSilent: boolean;
  end(): void;
}

/** Opens a link on a free port. */
export async function openLink(): Promise<Link> {
  const passages = new Set<Passage>();
  let target = 0;
  let state: 'well' | 'cut' | 'silent' = 'well';
  let delayMs = 0;
  const server = createServer(client => {
    client.on('error', () => undefined);
    if (state === 'cut') return void client.resetAndDestroy();
    const passage = pass(
      client,
      target,
      () => delayMs,
      () => passages.delete(passage),
    );
    passage.isSilent = state === 'silent';
    passages.add(passage);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  const endAll = (): void => passages.forEach(passage => passage.end());
  return {
    port,
    leadTo: next => void (target = next),
    cut: () => {
      state = 'cut';
      endAll();
    },
    silence: () => {
      state = 'silent';
      for (const passage of passages) passage.isSilent = true;
    },
    delay: milliseconds => void (delayMs = milliseconds),
    mend: () => {
      state = 'well';
      delayMs = 0;
      for (const passage of passages) if (passage.isSilent) passage.end();
    },
    close: async () => {
      server.close();
      endAll();
      await once(server, 'close');
    },
  };
}

function pass(client: Socket, port: number, delayOf: () => number, gone: () => void): Passage {
  const target = connect(port, '127.0.0.1');
  const passage: Passage = {
    isSilent: false,
    end: () => {
      client.destroy();
      target.destroy();
      gone();
    },
  };
  client.on('data', chunk => !passage.isSilent && target.write(chunk));
  // Bytes stay in order: bytes that arrive after a delay ends wait for the delayed bytes before them.
  let last = 0;
  target.on('data', chunk => {
    if (passage.isSilent) return;
    last = Math.max(last, performance.now() + delayOf());
    const wait = last - performance.now();
    if (wait <= 0) client.write(chunk);
    else setTimeout(() => !passage.isSilent && !client.destroyed && client.write(chunk), wait);
  });
  for (const socket of [client, target]) {
    socket.setNoDelay(true);
    // The `close` event follows and ends the passage.
    socket.on('error', () => undefined);
    socket.on('close', () => passage.isSilent || passage.end());
  }
  return passage;
}
