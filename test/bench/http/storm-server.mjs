import pg from 'pg';
import { call, startApp, startDatabase } from '../support/server.mjs';

const COUNTS = `
select (select count(*)::int from governance.events
        where convert_from(body, 'UTF8')::jsonb #>> '{data,policy_id}' = $1) as events,
  (select count(*)::int from governance.incidents where policy_id = $1::uuid) as incidents,
  (select sum(occurrences)::int from governance.incidents where policy_id = $1::uuid) as occurrences,
  (select count(*)::int from governance.incident_occurrences o join governance.incidents i
     on i.org_id = o.org_id and i.id = o.incident_id where i.policy_id = $1::uuid) as entered`;

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const post = (path, body) => call(server.url, server.token, 'POST', path, body);
await post('/v1/users', { email: 'ada@people.example', name: 'Ada', department: 'Sales' });
const { token } = await post('/v1/tokens', { name: 'gateway', role: 'agent' });

const work = {
  /** Creates a policy that blocks a model; returns its id. */
  async policy({ model }) {
    return (await post('/v1/policies', { name: `No ${model}`, action: 'block', model })).id;
  },
  async count({ policyId }) {
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    const { rows } = await owner.query(COUNTS, [policyId]);
    await owner.end();
    return rows[0];
  },
  async stop() {
    await server.stop();
    await database.stop();
    setImmediate(() => process.exit(0));
  },
};
process.on('message', ({ what, ...details }) => {
  void work[what](details).then(result => process.send({ result }));
});
process.send({ url: server.url, token });
