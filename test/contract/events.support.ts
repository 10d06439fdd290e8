import { OutboxWorker } from '#outbox';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { makeAuthority, trustInThisProcess } from '../support/certificates.js';
import { startEndpoint, type Endpoint } from '../support/https-endpoint.js';
import type { ReceivedRequest } from '../support/endpoint-behaviours.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';

/** An app, a receiver whose certificate the app trusts, and a clock that the test moves. */
export interface EventBench {
  app: TestApp;
  endpoint: Endpoint;
  time: MovedTime;
  /** Registers a webhook with its own path at the receiver. */
  register(fields?: object): Promise<Webhook>;
  /** The requests that arrived for a webhook. */
  arrivedFor(webhook: Webhook): ReceivedRequest[];
  /** Advances both clocks and wakes the workers. */
  advance(milliseconds: number): Promise<void>;
  /** Waits for the first delivery of a webhook that meets the condition. */
  delivery(webhook: Webhook, meets: (delivery: Answer['body']) => boolean): Promise<Answer['body']>;
  close(): Promise<void>;
}

/** A registered webhook with its secret and its path at the receiver. */
export interface Webhook {
  id: string;
  path: string;
  signing_secret: string;
  events: string[];
}

/** Starts the app and the receiver. */
export async function startEventBench(): Promise<EventBench> {
  const authority = await makeAuthority();
  const undo = trustInThisProcess(authority.caPem);
  const endpoint = await startEndpoint({ authority });
  const app = await startTestApp({ egress: { allow: ['127.0.0.0/8'] } });
  const time = await moveTime(app.database);
  let paths = 0;
  return {
    app,
    endpoint,
    time,
    async register(fields = {}) {
      const path = `/hooks/${++paths}`;
      const url = endpoint.url.replace(/\/$/, path);
      const { status, body, text } = await app.call('POST', '/v1/webhooks', { url, ...fields });
      if (status !== 201) throw new Error(`registration: ${status} ${text}`);
      return { ...body, path };
    },
    arrivedFor: webhook => endpoint.requests.filter(request => request.path === webhook.path),
    async advance(milliseconds) {
      app.clock.advance(milliseconds);
      await time.advance(milliseconds);
      app.app.get(OutboxWorker).wake();
    },
    async delivery(webhook, meets) {
      const until = Date.now() + 15_000;
      for (;;) {
        const { body } = await app.call('GET', `/v1/webhooks/${webhook.id}/deliveries`);
        const found = body.items.find(meets);
        if (found) return found;
        if (Date.now() > until) throw new Error(`no such delivery: ${JSON.stringify(body.items)}`);
        await new Promise(done => setTimeout(done, 20));
      }
    },
    async close() {
      await app.close();
      await endpoint.close();
      undo();
    },
  };
}
