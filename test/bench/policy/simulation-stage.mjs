// An organization with a week of decisions, for the processes that simulate.
import pg from 'pg';
import { operatorActor } from '../../../dist/libs/access/index.js';
import { PolicyService } from '../../../dist/libs/policy/index.js';
import { call, startApp } from '../support/server.mjs';
import { load, POLICIES } from './simulation-workload.mjs';

/** Fills a database and returns the ids that the processes need. */
export async function prepareStage(url, count) {
  const server = await startApp(url, { requestsPerMinute: 0 });
  const { app, orgId, token } = server;
  const actor = operatorActor(orgId, 'bench');
  const policies = [];
  for (const policy of POLICIES) policies.push(await app.get(PolicyService).create(actor, policy));
  const live = await call(server.url, token, 'POST', '/v1/users', { email: 'live@example.com', name: 'Live' });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await load(client, orgId, count, Date.now());
  await client.end();
  await server.stop();
  return { url, orgId, token, policyId: policies[0].id, userId: live.id, count };
}
