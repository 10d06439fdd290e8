import { OrgDatabase } from '#database';
import { EVENT_CATALOGUE, EventOutbox, type EventType, type FiredEvent, type NewEvent } from '#outbox';
import { makeAuthority, trustInThisProcess } from './certificates.js';
import { startEndpoint, type Endpoint, type EndpointOptions } from './https-endpoint.js';
import { startTestApp, type Answer, type Call, type TestApp } from './test-app.js';

/** Settings that let an app send to endpoints on this machine, and show the endpoints' answers to webhooks. */
export const LOOPBACK_ALLOWED = {
  egress: { allow: ['127.0.0.0/8', '::1/128', 'webhooks=127.0.0.0/8', 'webhooks=::1/128'] },
};

/** An app that may send to loopback, and an endpoint whose certificate the app trusts. */
export interface WebhookStage {
  app: TestApp;
  endpoint: Endpoint;
  close(): Promise<void>;
}

/** Starts the app and the endpoint. */
export async function startWebhookStage(
  options: Parameters<typeof startTestApp>[0] = {},
  behaviour: EndpointOptions['behaviour'] = 'ok',
): Promise<WebhookStage> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const endpoint = await startEndpoint({ authority, behaviour });
  const app = await startTestApp({ ...LOOPBACK_ALLOWED, ...options });
  return {
    app,
    endpoint,
    async close() {
      await app.close();
      await endpoint.close();
      distrust();
    },
  };
}

/** Registers a webhook and returns it, with its secret. */
export async function registerWebhook(call: Call, fields: object): Promise<Answer['body']> {
  const answer = await call('POST', '/v1/webhooks', fields);
  if (answer.status !== 201) throw new Error(`POST /v1/webhooks failed: ${answer.text}`);
  return answer.body;
}

/** Fires this many events in an organization, with the example data of the catalog. */
export async function fireEvents(
  app: TestApp,
  orgId: string,
  type: EventType = 'policy_violation',
  count = 1,
): Promise<FiredEvent[]> {
  const data = EVENT_CATALOGUE.find(entry => entry.type === type)?.example.data;
  // The catalog's example of a type has the data type of that event.
  const events = Array.from({ length: count }, () => ({ type, data }) as NewEvent);
  return app.app.get(OrgDatabase).transaction(orgId, em => app.app.get(EventOutbox).fire(em, orgId, events));
}

/** Polls until a check is true. Returns the check's result. */
export async function until<T>(check: () => Promise<T | false | null | undefined>, withinMs = 60_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== false && found !== undefined && found !== null) return found;
    if (performance.now() > end) throw new Error(`it did not become so within ${withinMs} ms`);
    await new Promise(done => setTimeout(done, 20));
  }
}
