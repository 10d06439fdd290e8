import { startBareNest } from '../support/bare-nest.mjs';
import { call, startApp, startDatabase } from '../support/server.mjs';

const POLICIES = 1_000;
const USERS = 200;
const ANSWER = {
  id: '0190f3a2-7b1c-7d1e-8a3b-1c2d3e4f5a6b',
  action: 'allow',
  allowed: true,
  reason: 'no_policy_matched',
  policies: [],
  evaluated_at: '2026-11-20T13:00:00.000Z',
};

if (process.argv[2] === 'bare') {
  const server = await startBareNest('v1/decisions', ANSWER);
  process.send({ url: server.url });
  process.once('message', () => void server.stop().then(() => process.exit(0)));
} else {
  const database = await startDatabase();
  const server = await startApp(database.url);
  const unlimited = await startApp(database.url, { requestsPerMinute: 0 });
  await seed(unlimited.url, server);
  await unlimited.stop();
  process.send({ url: server.url, token: server.agentToken, bodies: server.bodies });
  process.once('message', () => {
    void server
      .stop()
      .then(() => database.stop())
      .then(() => process.exit(0));
  });
}

async function seed(url, server) {
  const post = (path, body) => call(url, server.token, 'POST', path, body);
  const emails = Array.from({ length: USERS }, (_, number) => `person${number}@people.example`);
  for (const [number, email] of emails.entries()) {
    await post('/v1/users', { email, name: `Person ${number}`, department: `department-${number % 20}` });
  }
  for (let number = 0; number < POLICIES; number++) {
    await post('/v1/policies', {
      name: `Policy ${number}`,
      action: ['block', 'require_approval', 'alert', 'allow'][number % 4],
      model: `model-${number % 50}`,
      conditions: { department: { in: [`department-${100 + (number % 300)}`] } },
    });
  }
  server.agentToken = (await post('/v1/tokens', { name: 'gateway', role: 'agent' })).token;
  server.bodies = emails.map((email, number) => ({
    user_email: email,
    provider: 'openai',
    model: `model-${number % 60}`,
  }));
}
