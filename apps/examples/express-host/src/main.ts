import { GovernanceOperations } from 'nest-llm-governance';
import { createShop } from './shop.js';

const app = await createShop();
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
const { orgId, newAdminToken } = await app.get(GovernanceOperations).ensureFirstOrganization({});

console.log(`Shop        ${await app.getUrl()}/users`);
console.log(`Governance  ${await app.getUrl()}/governance/v1`);
console.log(`Admin token of organization ${orgId}: ${newAdminToken ?? 'as given at the first start'}`);
