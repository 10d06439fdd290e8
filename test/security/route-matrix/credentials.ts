import { ROLES, TokenService, type Role } from '#access';
import { newUser } from '../../e2e/devices/devices.support.js';
import { createToken } from '../../support/seed.js';
import type { Call, TestApp } from '../../support/test-app.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The credentials of one role, in the order of a matrix. */
export interface RoleCredentials {
  valid: string;
  revoked: string;
  expired: string;
  /** A credential of a person whose access has ended. */
  suspended: string;
  /** A valid credential of the same role in another organization. */
  foreign: string;
}

/** Credentials of every role. Sets the clock two days ahead, so that some have expired. */
export async function makeCredentials(
  app: TestApp,
  foreign: { orgId: string; call: Call },
): Promise<Map<Role, RoleCredentials>> {
  const tokens = app.app.get(TokenService);
  const [person, leaver, stranger] = [await newUser(app.call), await newUser(app.call), await newUser(foreign.call)];
  const made = new Map<Role, RoleCredentials>();
  for (const role of ROLES) {
    const doomed = await tokens.issue(app.orgId, { name: 'Revoked', role });
    const brief = await tokens.issue(app.orgId, { name: 'Expired', role, expiresInDays: 1 });
    made.set(role, {
      valid: await createToken(app.app, app.orgId, role, role === 'member' ? person : undefined),
      revoked: doomed.token,
      expired: brief.token,
      suspended: await createToken(app.app, app.orgId, role, leaver),
      foreign: await createToken(app.app, foreign.orgId, role, role === 'member' ? stranger : undefined),
    });
    const { status } = await app.call('DELETE', `/v1/tokens/${doomed.record.id}`);
    if (status !== 204) throw new Error(`the token of the role ${role} was not revoked: ${status}`);
  }
  const { status } = await app.call('POST', `/v1/users/${leaver}/offboard`);
  if (status !== 200) throw new Error(`the leaver was not offboarded: ${status}`);
  app.clock.advance(2 * DAY_MS);
  return made;
}
