import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../../../test/support/certificates.js';
import { recordOf } from '../testing/records.js';
import { SyslogSink } from './syslog-sink.js';
import { readSyslogTarget } from './syslog-target.js';

const FRAME = /^(\d+) /;

/** The messages of a stream that uses octet counting. */
function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const [head = '', length] = FRAME.exec(rest.subarray(0, 12).toString('latin1')) ?? [];
    const end = head.length + Number(length);
    expect(end).toBeLessThanOrEqual(rest.length);
    messages.push(rest.subarray(head.length, end).toString('utf8'));
    rest = rest.subarray(end);
  }
  return messages;
}

describe('SyslogSink', () => {
  const { signal } = new AbortController();
  let server: Server | undefined;
  const sockets = new Set<Socket>();

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise(resolve => (server ? server.close(resolve) : resolve(null)));
    server = undefined;
  });

  async function listen(made: Server): Promise<number> {
    server = made;
    made.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>(resolve => void made.listen(0, '127.0.0.1', resolve));
    return (made.address() as AddressInfo).port;
  }

  /** Reads each connection until the client closes it, like a syslog server. */
  function reader(received: Buffer[]): (socket: Socket) => void {
    return socket => socket.on('data', chunk => received.push(chunk));
  }

  const sinkFor = (url: string, ca?: string) => new SyslogSink({ name: 'syslog', target: readSyslogTarget(url), ca });

  it('sends a message of RFC 5424 per record, framed by its length in octets', async () => {
    const received: Buffer[] = [];
    const port = await listen(createServer(reader(received)));
    await sinkFor(`tcp://127.0.0.1:${port}`).write([recordOf(1, 'Zoë 🙂'), recordOf(2)], signal);
    const messages = messagesIn(Buffer.concat(received));
    expect(messages).toHaveLength(2);
    const [, body = ''] =
      /^<110>1 2026-11-20T12:00:00\.123Z \S+ nest-llm-governance \d+ audit - (.*)$/s.exec(messages[0]!) ?? [];
    expect(JSON.parse(body)).toEqual(recordOf(1, 'Zoë 🙂').event);
  });

  it('sends over TLS only to a server of the configured authority', async () => {
    const authority = await makeAuthority();
    const received: Buffer[] = [];
    const port = await listen(createTlsServer(await authority.issue(), reader(received)));
    await sinkFor(`tls://localhost:${port}`, authority.caPem).write([recordOf(1)], signal);
    expect(messagesIn(Buffer.concat(received))).toHaveLength(1);
    const { caPem } = await makeAuthority();
    await expect(sinkFor(`tls://localhost:${port}`, caPem).write([recordOf(1)], signal)).rejects.toThrow(/certificate/);
    await expect(sinkFor(`tls://localhost:${port}`).write([recordOf(1)], signal)).rejects.toThrow(/certificate/);
  });

  it('rejects if the connection closes before the server has read to the end', async () => {
    const port = await listen(
      createServer(socket => {
        socket.once('data', () => socket.resetAndDestroy());
      }),
    );
    await expect(sinkFor(`tcp://127.0.0.1:${port}`).write([recordOf(1)], signal)).rejects.toThrow(
      /ECONNRESET|closed the connection/,
    );
  });

  it('rejects if the server keeps the connection open beyond the time limit', async () => {
    let hold!: () => void;
    const arrived = new Promise<void>(resolve => {
      hold = resolve;
    });
    const port = await listen(createServer({ allowHalfOpen: true }, socket => socket.once('data', hold)));
    const late = new AbortController();
    const writing = sinkFor(`tcp://127.0.0.1:${port}`).write([recordOf(1)], late.signal);
    void arrived.then(() => late.abort());
    await expect(writing).rejects.toThrow('did not read everything in time');
  });

  it('rejects if nothing listens', async () => {
    await expect(sinkFor('tcp://127.0.0.1:1').write([recordOf(1)], signal)).rejects.toThrow('ECONNREFUSED');
  });

  it.each([
    ['tls://siem.example.com', { host: 'siem.example.com', port: 6514, isTls: true }],
    ['tcp://[::1]', { host: '::1', port: 601, isTls: false }],
    ['tcp://10.0.0.5:514/', { host: '10.0.0.5', port: 514, isTls: false }],
  ])('reads the target %s', (text, target) => {
    expect(readSyslogTarget(text)).toEqual(target);
  });

  it.each(['udp://siem.example.com', 'tls://', 'siem.example.com:6514', 'tls://u:p@siem.example.com', 'tls://a/b'])(
    'refuses the target %s',
    text => {
      expect(() => readSyslogTarget(text)).toThrow('must be tls://host:port');
    },
  );
});
