import type { INestApplicationContext } from '@nestjs/common';
import { GovernanceOperations } from 'nest-llm-governance';

/**
 * Creates the organization. Call it at each boot: only the first call creates the organization and returns its admin
 * token.
 */
export async function firstOrganization(app: INestApplicationContext): Promise<string> {
  const { orgId, newAdminToken } = await app.get(GovernanceOperations).ensureFirstOrganization({});
  if (newAdminToken) process.stdout.write(`admin token of organization ${orgId}: ${newAdminToken}\n`);
  return orgId;
}
