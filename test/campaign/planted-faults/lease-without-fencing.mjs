// A worker writes its outcome although its lease has expired: the token of the lease is not compared. Leases are
// shorter than an attempt may take, so that some expire.
import { ofApp } from './support/app.mjs';

const LEASE_MS = 2_000;
const TOKENS = 'select id, lease_token from governance.tasks where org_id = $1';

const { TaskStore } = await ofApp('libs/outbox/tasks/task-store.js');
const { sqlOf } = await ofApp('libs/database/sql-transaction.js');

const { claim, end } = TaskStore.prototype;
TaskStore.prototype.claim = function (queue, want, others, freeOf, leaseMs) {
  return claim.call(this, queue, want, others, freeOf, Math.min(leaseMs, LEASE_MS));
};
TaskStore.prototype.end = async function (em, orgId, ends) {
  const rows = await sqlOf(em).query(TOKENS, [orgId]);
  const tokens = new Map(rows.map(row => [row.id, row.lease_token]));
  const tokenOf = ({ id, leaseToken }) => tokens.get(id) ?? leaseToken;
  const unfenced = ends.map(each => ({ ...each, task: { ...each.task, leaseToken: tokenOf(each.task) } }));
  await end.call(this, em, orgId, unfenced);
  return new Set(ends.map(({ task }) => task.id));
};
