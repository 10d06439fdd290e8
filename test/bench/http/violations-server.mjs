import { call, startApp, startDatabase } from '../support/server.mjs';

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const post = (path, body) => call(server.url, server.token, 'POST', path, body);
await post('/v1/users', { email: 'ada@people.example', name: 'Ada', department: 'Sales' });
await post('/v1/policies', { name: 'No large models', action: 'block', model: 'large' });
const { token } = await post('/v1/tokens', { name: 'gateway', role: 'agent' });
process.send({ url: server.url, token, admin: server.token });
process.once('message', () => {
  void server
    .stop()
    .then(() => database.stop())
    .then(() => process.exit(0));
});
