import { GovernanceOperations } from 'nest-llm-governance';
import { createGateway } from './gateway.js';

const { DATABASE_URL: databaseUrl, GOVERNANCE_KEYS: governanceKeys } = process.env;
if (!databaseUrl || !governanceKeys) throw new Error('Set DATABASE_URL and GOVERNANCE_KEYS; the README says how.');

const app = await createGateway({ databaseUrl, governanceKeys });
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
const { orgId, newAdminToken } = await app.get(GovernanceOperations).ensureFirstOrganization({});

console.log(`Gateway     ${await app.getUrl()}/models`);
console.log(`Governance  ${await app.getUrl()}/governance/v1`);
console.log(`Admin token of organization ${orgId}: ${newAdminToken ?? 'as given at the first start'}`);
