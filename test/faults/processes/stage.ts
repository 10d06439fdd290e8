import { EventOutbox, type NewEvent } from '#outbox';
import { OrgDatabase } from '#database';
import { SystemClock } from '#core';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import type { Behaviour } from '../../support/endpoint-behaviours.js';
import { startWorker, type GovernedProcess, type WorkerOptions } from '../../support/governed-process.js';
import { startEndpoint, type Endpoint } from '../../support/https-endpoint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { until } from './chance.js';
import { complaintsIn } from './complaints.js';
import { readLedger, type LedgerEntry } from './ledger.js';

export const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;

/** A database, an endpoint, a host that fires events and sends nothing, and replicas that send. */
export interface Stage {
  readonly app: TestApp;
  readonly endpoint: Endpoint;
  /** The certificate authority that all processes here trust. */
  readonly authority: Authority;
  /** Settings of the processes of this stage. */
  readonly caFile: string;
  /** Starts a replica. The stage stops the replica if the test does not. */
  worker(options: Partial<WorkerOptions> & { name: string }): Promise<GovernedProcess>;
  /** Registers a webhook for all events, at a path of the endpoint. Returns its id. */
  webhook(path?: string): Promise<string>;
  /** Fires this many events in one transaction. */
  fire(count: number): Promise<void>;
  /** The output of the replicas, without messages that they are ready or that the machine is busy. */
  complaints(): string[];
  /** The state of all deliveries in the database. */
  ledger(): Promise<LedgerEntry[]>;
  /** Waits until no task is left. */
  untilIdle(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates the stage. With `testDatabase`, the test drops the database itself. */
export async function setStage(options: { testDatabase?: TestDatabase } = {}): Promise<Stage> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const endpoint = await startEndpoint({ authority });
  const app = await startTestApp({
    ...options,
    keys: KEYS,
    clock: SystemClock,
    egress: { allow: ['127.0.0.0/8'] },
    outbox: { workers: false },
  });
  const workers: GovernedProcess[] = [];
  const database = app.app.get(OrgDatabase);
  const outbox = app.app.get(EventOutbox);
  const caFile = authority.caFile();
  return {
    app,
    endpoint,
    authority,
    caFile,
    worker: async settings => {
      const worker = await startWorker({ databaseUrl: app.database.url, keys: KEYS, caFile, ...settings });
      workers.push(worker);
      return worker;
    },
    webhook: async (path = '/') => {
      const { status, body, text } = await app.call('POST', '/v1/webhooks', {
        url: new URL(path, endpoint.url).href,
      });
      if (status !== 201) throw new Error(`no webhook: ${text}`);
      return String(body.id);
    },
    fire: async count => {
      const events = Array.from({ length: count }, () => VIOLATION);
      await database.transaction(app.orgId, em => outbox.fire(em, app.orgId, events));
    },
    complaints: () => workers.flatMap(worker => complaintsIn(worker.output())).filter(line => line !== 'ready'),
    ledger: () => readLedger(app.database),
    untilIdle: withinMs =>
      until('no task is left', withinMs, async () => {
        const [left] = await app.database.asOwner<{ tasks: number }>(
          'select count(*)::int as tasks from governance.tasks',
        );
        return left?.tasks === 0;
      }),
    close: async () => {
      await Promise.all(workers.map(worker => worker.end('SIGKILL')));
      await app.close();
      await endpoint.close();
      distrust();
    },
  };
}

/** Answers after a delay and keeps the connection open. */
export function answerIn(milliseconds: number, status = 200): Behaviour {
  return { act: ({ response }) => void setTimeout(() => response.writeHead(status).end(), milliseconds) };
}

const VIOLATION: NewEvent = {
  type: 'policy_violation',
  data: {
    alert_id: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21',
    severity: 'high',
    user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    policy_id: '0199c2a8-6f42-7c18-a0d3-92e4b7c61f05',
    provider: 'openai',
    model: 'gpt-4o',
    details: { action: 'block', department: 'Research' },
  },
};
