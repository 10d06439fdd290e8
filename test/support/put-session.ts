import { StoredSessions } from '#dashboard';
import { operatorActor, TokenService, type Principal } from '#access';
import type { TestApp } from './test-app.js';

/**
 * Starts a dashboard session with a new token. If a user is given, the token belongs to the user. Returns the id of the
 * session.
 */
export async function putSession(app: TestApp, orgId: string, userId?: string): Promise<string> {
  const terms = { name: 'On a browser', role: 'auditor', ...(userId === undefined ? {} : { userId }) } as const;
  const { record } = await app.app.get(TokenService).issueFor(operatorActor(orgId), terms);
  const principal: Principal = {
    kind: 'token',
    orgId,
    id: record.id,
    name: record.name,
    scopes: new Set(record.grants()),
    ...(userId === undefined ? {} : { userId }),
  };
  const sessions = app.app.get(StoredSessions, { strict: false });
  return (await sessions.start({ principal, address: '127.0.0.1', requestId: null, userAgent: 'Test' })).id;
}
