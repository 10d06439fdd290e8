import type { INestApplicationContext } from '@nestjs/common';
import { GovernanceOperations } from 'nest-llm-governance';

/** Call it at each boot. It creates the organization once and returns its admin token once. */
export async function firstOrganization(app: INestApplicationContext): Promise<string> {
  const { orgId, newAdminToken } = await app.get(GovernanceOperations).ensureFirstOrganization({});
  if (newAdminToken) process.stdout.write(`admin token of organization ${orgId}: ${newAdminToken}\n`);
  return orgId;
}
