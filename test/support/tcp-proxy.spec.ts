import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

const pause = (milliseconds: number): Promise<void> => new Promise(done => setTimeout(done, milliseconds));

describe('the TCP proxy of tests', () => {
  const server = createServer(socket => {
    behind.add(socket);
    socket.on('error', () => undefined).on('close', () => behind.delete(socket));
    socket.on('data', chunk => socket.write(`echo ${String(chunk)}`));
  });
  const behind = new Set<Socket>();
  let proxy: TcpProxy;

  beforeEach(async () => {
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    proxy = await startTcpProxy((server.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await proxy.close();
    behind.forEach(socket => socket.destroy());
    await new Promise(done => server.close(done));
  });

  /** A client that collects the received bytes. Resolves once it is connected. */
  async function client(): Promise<{ socket: Socket; read: () => string; ask: (text: string) => Promise<string> }> {
    const socket = connect(proxy.port, '127.0.0.1');
    let read = '';
    socket.on('data', chunk => (read += String(chunk))).on('error', () => undefined);
    await once(socket, 'connect');
    const ask = async (text: string): Promise<string> => {
      socket.write(text);
      return String((await once(socket, 'data'))[0]);
    };
    return { socket, read: () => read, ask };
  }

  it('forwards bytes and the end of the stream in both directions', async () => {
    const { socket, ask } = await client();
    expect(await ask('a')).toBe('echo a');
    expect(proxy.open).toBe(1);
    const ended = once([...behind][0]!, 'close');
    socket.end();
    await Promise.all([ended, once(socket, 'close')]);
    expect([proxy.open, proxy.accepted]).toEqual([0, 1]);
  });

  it('closes every connection on both sides, and accepts new ones', async () => {
    const first = await client();
    await first.ask('a');
    const closed = [once(first.socket, 'close'), once([...behind][0]!, 'close')];
    proxy.cut();
    await Promise.all(closed);
    expect(await (await client()).ask('b')).toBe('echo b');
  });

  it('keeps old and new connections open without forwarding anything while frozen', async () => {
    const old = await client();
    await old.ask('a');
    proxy.freeze();
    const fresh = await client();
    old.socket.write('b');
    fresh.socket.write('c');
    [...behind][0]!.write('from the server');
    await pause(100);
    expect([old.read(), fresh.read(), proxy.open]).toEqual(['echo a', '', 2]);
    proxy.thaw();
    await pause(100);
    expect(old.read()).toContain('from the server');
    expect(old.read()).toContain('echo b');
    expect(fresh.read()).toBe('echo c');
  });

  it('hides the end of the server while frozen', async () => {
    const { socket, ask } = await client();
    await ask('a');
    proxy.freeze();
    [...behind][0]!.resetAndDestroy();
    await pause(100);
    expect(socket.readyState).toBe('open');
    const closed = once(socket, 'close');
    proxy.thaw();
    await closed;
  });

  it('refuses new connections on its port until told to accept them again', async () => {
    const old = await client();
    await proxy.refuse();
    await expect(client()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await old.ask('a')).toBe('echo a');
    await proxy.accept();
    expect(await (await client()).ask('b')).toBe('echo b');
  });
});
