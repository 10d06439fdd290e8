import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../test/support/certificates.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';
import { type AddressJudge, Connections, OpenConnections } from './connections.js';
import { Exchange } from './exchange.js';

describe('Connections', () => {
  let distrust: () => void;
  let endpoint: Endpoint;
  let connections: Connections;

  const call = async () => {
    const exchange = new Exchange({ url: endpoint.url, method: 'GET', headers: {}, timeoutMs: 2_000 });
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

  it('keeps no connection beyond those it may keep', async () => {
    connections = new Connections(judge, 1, new OpenConnections(1));
    await call();
    expect(endpoint.openConnections).toBe(1);
    await call();
    expect(endpoint.requests.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close']);
    expect(endpoint.openConnections).toBe(0);
    await call();
    expect(endpoint.openConnections).toBe(1);
  });

  it('renews a connection that is in use after 30 seconds, so that it follows its name', async () => {
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
});
