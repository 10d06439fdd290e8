// The gateway with 1,000 policies, a blocking budget, and stored usage.
import { call, startApp, startDatabase } from '../support/server.mjs';

const POLICIES = 1_000;
const [providerUrl, apiKey] = process.argv.slice(2);

const database = await startDatabase();
const egress = { allow: ['gateway=127.0.0.0/8'] };
const seeding = await startApp(database.url, { requestsPerMinute: 0, egress });
const post = (path, body) => call(seeding.url, seeding.token, 'POST', path, body);
for (let number = 0; number < POLICIES; number++) {
  await post('/v1/policies', {
    name: `Policy ${number}`,
    action: ['block', 'require_approval', 'alert', 'allow'][number % 4],
    model: `model-${number % 50}`,
    conditions: { department: { in: [`department-${100 + (number % 300)}`] } },
  });
}
const user = await post('/v1/users', { email: 'ada@people.example', name: 'Ada', department: 'department-1' });
await post('/v1/budgets', {
  ...{ name: 'All', scope: 'organization', amount_usd: 100_000_000, period: 'monthly', enforcement: 'block' },
});
await call(seeding.url, seeding.token, 'PUT', '/v1/gateway/providers/openai', {
  ...{ kind: 'openai', base_url: providerUrl, secrets: { api_key: apiKey } },
});
const { token } = await post('/v1/tokens', { name: 'gateway', role: 'agent' });
process.send({
  url: `${seeding.url}/gateway/openai`,
  headers: { authorization: `Bearer ${token}`, 'x-governance-user': user.id },
});
process.once('message', () => {
  void seeding
    .stop()
    .then(() => database.stop())
    .then(() => process.exit(0));
});
