import { randomUUID } from 'node:crypto';
import { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { stageOn, type Stage } from '../incidents.support.js';

/** An app with the scripted platform. */
export async function startDesk(
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<TestApp & { desk: ScriptedAdapter }> {
  const app = await startTestApp({ ...LOOPBACK_ALLOWED, itsmAdapters: [ScriptedAdapter], ...options });
  return Object.assign(app, { desk: app.app.get(ScriptedAdapter) });
}

/** Fields of a connector to the scripted platform. */
export function connectorFields(fields: object = {}): Record<string, unknown> {
  return {
    kind: 'scripted',
    name: `Desk ${randomUUID()}`,
    settings: { instance_url: 'https://127.0.0.1:9' },
    secrets: { user: 'robot@example.com', password: 'correct horse battery' },
    ...fields,
  };
}

/** Creates a connector; returns it. */
export async function connect(call: Call, fields: object = {}): Promise<Answer['body']> {
  const { status, body, text } = await call('POST', '/v1/itsm/connectors', connectorFields(fields));
  if (status !== 201) throw new Error(`no connector: ${status} ${text}`);
  return body;
}

/** Long, because a due search comes seconds late if other work slows the machine down. */
const TIMEOUT_MS = 30_000;

/** An organization with a policy, a user and an active connector. */
export interface DeskStage extends Stage {
  connector: Answer['body'];
  /** The tickets, newest first. */
  tickets(query?: string): Promise<Answer['body'][]>;
  /** Waits until this many tickets have a state. */
  settled(state: string, count?: number): Promise<Answer['body'][]>;
}

export async function deskStage(app: TestApp, connector: object = {}): Promise<DeskStage> {
  const stage = await stageOn(app);
  const made = await connect(stage.call, connector);
  const tickets = async (query = ''): Promise<Answer['body'][]> => {
    const { status, body, text } = await stage.call('GET', `/v1/itsm/tickets?limit=100${query}`);
    if (status !== 200) throw new Error(text);
    return body.items;
  };
  return {
    ...stage,
    connector: made,
    tickets,
    settled: (state, count = 1) =>
      until(async () => {
        const found = await tickets(`&sync_state=${state}`);
        return found.length >= count && found;
      }, TIMEOUT_MS),
  };
}

/** Makes waiting tasks due now, repeatedly, until none is left. */
export async function finish(app: TestApp, orgId: string): Promise<void> {
  await until(async () => {
    await makeDue(app, orgId);
    const left = await app.database.asOwner(`select 1 from governance.tasks where org_id = $1 and queue = 'itsm'`, [
      orgId,
    ]);
    return left.length === 0;
  });
}

/** Makes waiting tasks due now. */
export async function makeDue(app: TestApp, orgId: string): Promise<void> {
  await app.database.asOwner(
    `update governance.tasks set due_at = governance.now() - interval '1 second' where org_id = $1 and lease_token is null`,
    [orgId],
  );
  await wake(app);
}

/** Makes the workers poll for due tasks at once. */
export async function wake(app: TestApp): Promise<void> {
  await app.database.asOwner(`select pg_notify('governance_tasks', 'itsm')`);
}
