import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../test/support/certificates.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';
import { type AddressJudge, Connections, OpenConnections } from './connections.js';
import { Exchange } from './exchange.js';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Calls `hear` for each socket that this process opens, before the socket is connected. */
function onSocket(hear: (socket: Socket) => void): () => void {
  // The documentation of the diagnostics channel guarantees this form of the message.
  const listener = (message: unknown): void => hear((message as { socket: Socket }).socket);
  subscribe('net.client.socket', listener);
  return () => unsubscribe('net.client.socket', listener);
}

describe('Connections', () => {
  let distrust: () => void;
  let endpoint: Endpoint;
  let connections: Connections;

  const call = async () => {
    const exchange = new Exchange({ url: endpoint.url, method: 'GET', headers: {}, timeoutMs: 60_000 });
    connections.dispatch({ origin: endpoint.url, path: '/', method: 'GET' }, exchange);
    expect((await exchange.answer).status).toBe(200);
    await pause(20); // A connection is free again one turn of the event loop after its answer.
  };
  const judge: AddressJudge = {
    lookupFor: () => () => {
      throw new Error('an address is not looked up');
    },
    namesPort: () => false,
    mayShow: () => true,
  };

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await connections.close();
  });
  afterAll(async () => {
    await endpoint.close();
    distrust();
  });

  it('keeps no more idle connections than its limit', async () => {
    connections = new Connections(judge, 1, new OpenConnections(1));
    await call();
    expect(endpoint.openConnections).toBe(1);
    await call();
    expect(endpoint.requests.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close']);
    expect(endpoint.openConnections).toBe(0);
    await call();
    expect(endpoint.openConnections).toBe(1);
  });

  it('renews a connection in use after 30 seconds, so that it follows changes of its name', async () => {
    connections = new Connections(judge);
    await call();
    const before = endpoint.connections;
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 29_000);
    await call();
    expect(endpoint.connections).toBe(before);
    clock.mockReturnValue(now + 31_000);
    await call();
    expect(endpoint.connections).toBe(before + 1);
  });

  it('drops a reference to a closed connection', async () => {
    connections = new Connections(judge, 1, new OpenConnections(0));
    const opened: WeakRef<Socket>[] = [];
    const stop = onSocket(socket => opened.push(new WeakRef(socket)));
    for (let i = 0; i < 20; i++) await call();
    stop();
    expect(opened).toHaveLength(20);
    expect(endpoint.openConnections).toBe(0);
    const alive = () => opened.filter(socket => socket.deref()).length;
    for (let i = 0; i < 20 && alive() > 2; i++) {
      await turn();
      if (typeof collect === 'function') collect();
    }
    // The client may still hold a reference to the sockets of its latest request.
    expect(alive()).toBeLessThanOrEqual(2);
  });

  it.each(['http:', 'https:'])('cancels the DNS query when it is closed, for %s', async protocol => {
    let ask: () => void;
    const asked = new Promise<void>(done => (ask = done));
    connections = new Connections({ ...judge, lookupFor: () => () => ask() });
    const opened: Socket[] = [];
    const stop = onSocket(socket => opened.push(socket));
    const exchange = new Exchange({ url: '', method: 'GET', headers: {}, timeoutMs: 60_000 });
    connections.dispatch({ origin: `${protocol}//somewhere.test`, path: '/', method: 'GET' }, exchange);
    await asked;
    stop();
    const ends = opened.map(socket => new Promise(done => socket.once('close', done)));
    expect(opened.map(socket => socket.connecting)).toEqual([true]);
    await connections.close();
    expect((await exchange.answer).error?.code).toBe('aborted');
    expect(opened.map(socket => socket.destroyed)).toEqual([true]);
    await Promise.all(ends);
  });
});
