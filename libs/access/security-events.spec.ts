import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ManualClock } from '../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-postgres.js';
import { OrganizationService } from './organizations/organization.service.js';
import { SecurityEvents, type SecurityEvent } from './security/security-events.port.js';
import { startAccessReplica } from './testing/access-replica.js';
import { newToken } from './tokens/token-format.js';
import { TokenService } from './tokens/token.service.js';

class KeptEvents extends SecurityEvents {
  readonly events: SecurityEvent[] = [];

  override record(event: SecurityEvent): void {
    this.events.push(event);
  }
}

describe('security events', () => {
  const clock = new ManualClock();
  const kept = new KeptEvents();
  let database: TestDatabase;
  let replica: Awaited<ReturnType<typeof startAccessReplica>>;
  let orgId: string;
  let admin: { id: string; token: string };

  const issue = async (role: 'admin' | 'agent') => {
    const { record, token } = await replica.app.get(TokenService).issue(orgId, { name: `Key of ${role}`, role });
    return { id: record.id, token };
  };
  const ask = async (method: string, path: string, token: string | null, address = '203.0.113.7') => {
    const headers = {
      'x-forwarded-for': address,
      'x-request-id': 'request-17',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(replica.url + path, { method, headers });
    await response.body?.cancel();
    return response.status;
  };
  const told = (type: SecurityEvent['type']) => kept.events.filter(event => event.type === type);

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await startAccessReplica(database, {
      clock,
      access: { requestsPerMinute: 3, trustedProxies: ['127.0.0.1'] },
      providers: [{ provide: SecurityEvents, useValue: kept }],
    });
    orgId = (await replica.app.get(OrganizationService).create('First')).id;
    admin = await issue('admin');
  });
  beforeEach(() => void kept.events.splice(0));
  afterAll(async () => {
    await replica.close();
    await database.drop();
  });

  it('report a sign-in once an hour for a credential and an address', async () => {
    const agent = await issue('agent');
    for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2']) {
      await ask('GET', '/v1/organization', agent.token, address);
    }
    expect(told('sign_in')).toMatchObject([
      {
        actor: { orgId, kind: 'token', id: agent.id },
        address: '203.0.113.1',
        requestId: 'request-17',
        route: 'GET /v1/organization',
        at: clock.now(),
      },
      { actor: { id: agent.id }, address: '203.0.113.2' },
    ]);
    clock.advance(3_600_000);
    await ask('GET', '/v1/organization', agent.token, '203.0.113.1');
    expect(told('sign_in')).toHaveLength(3);
  });

  it('report 401 with the address, and with nothing from the request', async () => {
    const secret = newToken();
    expect(await ask('GET', `/v1/tokens?key=${secret}`, secret)).toBe(401);
    expect(await ask('DELETE', `/v1/tokens/${secret}`, null)).toBe(401);
    expect(told('sign_in_failed')).toMatchObject([
      { actor: null, address: '203.0.113.7', requestId: 'request-17', route: 'GET /v1/tokens' },
      { actor: null, address: '203.0.113.7', route: 'DELETE /v1/tokens/:id' },
    ]);
    expect(JSON.stringify(kept.events)).not.toContain(secret.slice(0, 20));
  });

  it('report 403 and 429 with the credential', async () => {
    const agent = await issue('agent');
    expect(await ask('GET', '/v1/audit-log', agent.token)).toBe(403);
    expect(told('access_denied')).toMatchObject([
      { actor: { orgId, id: agent.id }, route: 'GET /v1/audit-log', reason: expect.stringContaining('audit:read') },
    ]);
    for (let n = 0; n < 3; n++) await ask('GET', '/v1/audit-log', agent.token);
    expect(told('rate_limited')).toMatchObject([{ actor: { orgId, id: agent.id }, address: '203.0.113.7' }]);
  });

  it('report a revocation with actor, address and user', async () => {
    const agent = await issue('agent');
    expect(await ask('DELETE', `/v1/tokens/${agent.id}`, admin.token)).toBe(204);
    expect(await ask('DELETE', `/v1/tokens/${agent.id}`, admin.token)).toBe(404);
    expect(told('access_revoked')).toMatchObject([
      {
        actor: { orgId, id: admin.id },
        address: '203.0.113.7',
        requestId: 'request-17',
        reason: 'token.revoked',
        target: { type: 'token', id: agent.id },
      },
    ]);
  });

  it('name the route on Fastify, too', async () => {
    const fastify = await startAccessReplica(database, {
      clock,
      adapter: new FastifyAdapter(),
      providers: [{ provide: SecurityEvents, useValue: kept }],
    });
    expect((await fetch(`${fastify.url}/v1/tokens/${newToken()}`, { method: 'DELETE' })).status).toBe(401);
    expect(told('sign_in_failed')).toMatchObject([{ address: '127.0.0.1', route: 'DELETE /v1/tokens/:id' }]);
    await fastify.close();
  });

  it('contain no secret and no personal data but ids', async () => {
    const agent = await issue('agent');
    await ask('GET', '/v1/organization', agent.token);
    const [event] = told('sign_in');
    expect(Object.keys(event?.actor ?? {}).toSorted()).toEqual(['id', 'kind', 'orgId']);
  });
});
