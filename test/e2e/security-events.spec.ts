import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BearerPrincipalResolver,
  PrincipalResolver,
  SCOPES,
  SecurityEvents,
  type HttpRequest,
  type Principal,
  type SecurityEvent,
} from '#access';
import { startTestApp, type TestApp } from '../support/test-app.js';

const kept: SecurityEvent[] = [];

class KeptEvents extends SecurityEvents {
  override record(event: SecurityEvent): void {
    kept.push(event);
  }
}

/** A host that accepts its own bearer tokens, which have no special format. */
class HostPrincipals extends PrincipalResolver {
  static orgId = '';

  override resolve({ headers }: HttpRequest): Promise<Principal | null> {
    const { orgId } = HostPrincipals;
    const isKnown = headers.authorization?.startsWith('Bearer session-of-the-host-') ?? false;
    return Promise.resolve(isKnown ? { orgId, kind: 'host', id: 'ada', name: 'Ada', scopes: new Set(SCOPES) } : null);
  }
}

describe('the limit of failed sign-ins', () => {
  it('does not count credentials of the host, which the resolver of access tokens does not know', async () => {
    const app = await startTestApp({
      principalResolver: [BearerPrincipalResolver, HostPrincipals],
      failedSignInsPerMinute: 2,
    });
    HostPrincipals.orgId = app.orgId;
    try {
      for (let n = 0; n < 6; n++) {
        expect((await app.as(`session-of-the-host-0123456789-${n}`)('GET', '/v1/organization')).status).toBe(200);
      }
      // The limit of look-ups is reached. The app does not know whether the credential is invalid, so it answers 429
      // and not 401.
      expect((await app.as('session-of-nobody-0123456789-0123')('GET', '/v1/organization')).status).toBe(429);
    } finally {
      await app.close();
    }
  });
});

describe('the security events of a host', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ securityEvents: KeptEvents, failedSignInsPerMinute: 2 });
  });
  afterAll(() => app.close());

  it('contain refusals with every error body: the common one, of SCIM, of ticket reports and of chats', async () => {
    const { call } = await app.addToken('agent');
    await app.call('PUT', '/v1/itsm/inbound', { allowed_networks: [] });
    expect((await call('GET', '/scim/v2/Users')).status).toBe(403);
    expect((await call('GET', '/v1/audit-log')).status).toBe(403);
    expect((await app.as(null)('POST', `/v1/integrations/itsm/webhook/${app.orgId}`, {})).status).toBe(403);
    const command = await app.as(null)('POST', '/v1/integrations/slack/commands', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(command.status).toBe(401);
    const told = kept
      .filter(({ type }) => type !== 'sign_in')
      .map(({ type, route, address }) => [type, route, address]);
    expect(told).toEqual([
      ['access_denied', 'GET /scim/v2/Users', '127.0.0.1'],
      ['access_denied', 'GET /v1/audit-log', '127.0.0.1'],
      ['access_denied', 'POST /v1/integrations/itsm/webhook/:org_id', '127.0.0.1'],
      ['sign_in_failed', 'POST /v1/integrations/:platform/commands', '127.0.0.1'],
    ]);
  });

  it('contain users who lose their access, once it is committed', async () => {
    kept.splice(0);
    const { body: user } = await app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
    expect((await app.call('POST', `/v1/users/${user.id}/offboard`, {})).status).toBe(200);
    expect(kept.filter(({ type }) => type === 'access_revoked')).toMatchObject([
      { reason: 'user.suspended', target: { type: 'user', id: user.id }, actor: { orgId: app.orgId, kind: 'token' } },
    ]);
  });

  it('contain an address with too many failed sign-ins, also on routes without a request limit', async () => {
    kept.splice(0);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await app.as(`wrong-${n}`)('POST', '/v1/decisions', {})).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect(kept.map(({ type }) => type)).toEqual(['sign_in_failed', 'sign_in_failed', 'rate_limited']);
    expect((await app.call('GET', '/v1/organization')).status).toBe(200);
  });
});
