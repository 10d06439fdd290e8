import { EVENT_CATALOGUE, EventOutbox, type EventType, type FiredEvent, type NewEvent } from '#outbox';
import { OrgDatabase } from '#database';
import { SystemClock } from '#core';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { registerWebhook } from '../../support/webhooks.js';
import { KEYS } from '../processes/stage.js';
import { startHelper, type Helper } from './helper.js';

/** A host that fires events and sends nothing, endpoints in one process, and a worker in another. */
export interface Ground {
  readonly app: TestApp;
  readonly receiver: Helper;
  readonly worker: Helper;
  /** The certificate authority that the worker trusts. */
  readonly authority: Authority;
  /** `https://…/` of each endpoint. */
  readonly urls: string[];
  /** Fires this many events of one type in one transaction. */
  fire(orgId: string, type: EventType, count?: number): Promise<FiredEvent[]>;
  /** Registers a webhook; returns its id. */
  webhook(call: Call, url: string, events?: EventType[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts this many endpoints, each a separate origin. */
export async function prepareGround(
  endpoints: number,
  { concurrency, concurrencyPerWebhook }: { concurrency: number; concurrencyPerWebhook: number },
): Promise<Ground> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const receiver = await startHelper('receiver.main.ts');
  const ports = await receiver.ask<number[]>('listen', { ...(await authority.issue()), endpoints });
  const app = await startTestApp({
    keys: KEYS,
    clock: SystemClock,
    egress: { allow: ['127.0.0.0/8'] },
    outbox: { workers: false },
  });
  const settings = { databaseUrl: app.database.url, keys: KEYS, name: 'Load', concurrency, concurrencyPerWebhook };
  const worker = await startHelper(
    'measured-worker.main.ts',
    { NODE_EXTRA_CA_CERTS: authority.caFile(), WORKER_SETTINGS: JSON.stringify(settings) },
    ['--expose-gc'],
  );
  const database = app.app.get(OrgDatabase);
  const outbox = app.app.get(EventOutbox);
  return {
    app,
    receiver,
    worker,
    authority,
    urls: ports.map(port => `https://127.0.0.1:${port}/`),
    fire: (orgId, type, count = 1) => {
      const data = EVENT_CATALOGUE.find(entry => entry.type === type)?.example.data;
      // The cast is safe, because the catalog's example of an event type has the data type of this event.
      const events = Array.from({ length: count }, () => ({ type, data }) as NewEvent);
      return database.transaction(orgId, em => outbox.fire(em, orgId, events));
    },
    webhook: async (call, url, events) => {
      const { id } = await registerWebhook(call, { url, ...(events ? { events } : {}) });
      return String(id);
    },
    close: async () => {
      await worker.end();
      await app.close();
      await receiver.end();
      distrust();
    },
  };
}

/** Milliseconds of a monotonic clock that all processes of a machine share. */
export function tick(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
