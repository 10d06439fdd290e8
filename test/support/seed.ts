import type { INestApplication } from '@nestjs/common';
import { OrganizationService, ROLES, TokenService } from '#access';

/** Creates an organization as the CLI does. */
export async function createOrganization(app: INestApplication, name: string): Promise<string> {
  const organization = await app.get(OrganizationService).create(name);
  return organization.id;
}

/** Creates a token as the CLI does and returns its secret. */
export async function createToken(
  app: INestApplication,
  orgId: string,
  role: string,
  userId?: string,
): Promise<string> {
  const known = ROLES.find(candidate => candidate === role);
  if (!known) throw new Error(`no role ${role}`);
  const { token } = await app
    .get(TokenService)
    .issue(orgId, { name: `test ${role}`, role: known, userId: userId ?? null });
  return token;
}
