import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { createToken } from '../../support/seed.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { addPerson } from '../spend.support.js';

/** Lets the gateway call emulators on this machine without TLS. */
export const GATEWAY_ALLOWED = { egress: { allow: ['gateway=127.0.0.0/8'] } };

/** An app and two providers. */
export interface GatewayStage {
  app: TestApp;
  openai: Provider;
  anthropic: Provider;
  close(): Promise<void>;
}

/** An organization with both providers and a user. */
export interface Customer {
  orgId: string;
  userId: string;
  /** Calls the API as the admin. */
  call: Call;
  /** A token of the user. */
  member: string;
  /** A token of a program. */
  agent: string;
  /** The official clients, by default with the user's token. */
  openai(options?: ConstructorParameters<typeof OpenAI>[0]): OpenAI;
  anthropic(options?: ConstructorParameters<typeof Anthropic>[0]): Anthropic;
  /** Waits until the stored usage includes this many requests. Returns the usage. */
  usage(requests: number): Promise<Answer['body']>;
}

/** Starts the app and the providers. */
export async function startGatewayStage(options: Parameters<typeof startTestApp>[0] = {}): Promise<GatewayStage> {
  const openai = await startProvider({ kind: 'openai' });
  const anthropic = await startProvider({ kind: 'anthropic' });
  const app = await startTestApp({ ...GATEWAY_ALLOWED, ...options });
  return {
    ...{ app, openai, anthropic },
    async close() {
      await app.close();
      await openai.close();
      await anthropic.close();
    },
  };
}

/** Creates an organization with both providers and a user. */
export async function addCustomer({ app, openai, anthropic }: GatewayStage): Promise<Customer> {
  const { orgId, call } = await app.addOrganization();
  await putProvider(call, 'openai', openai);
  await putProvider(call, 'anthropic', anthropic);
  const userId = await addPerson(call, 'Sales');
  const member = await createToken(app.app, orgId, 'member', userId);
  const agent = await createToken(app.app, orgId, 'agent');
  const more = { maxRetries: 0 };
  return {
    ...{ orgId, userId, call, member, agent },
    openai: (given = {}) => new OpenAI({ apiKey: member, baseURL: `${app.url}/gateway/openai/v1`, ...more, ...given }),
    anthropic: (given = {}) =>
      new Anthropic({ apiKey: member, baseURL: `${app.url}/gateway/anthropic`, ...more, ...given }),
    usage: requests =>
      until(async () => {
        const { body } = await call('GET', '/v1/usage?limit=100');
        return sum(body.items, 'total_requests') >= requests && body.items;
      }),
  };
}

/** Registers an emulator as a provider. */
export async function putProvider(call: Call, name: string, provider: Provider, more: object = {}): Promise<void> {
  const body = { kind: provider.kind, base_url: provider.url, secrets: { api_key: provider.key }, ...more };
  const answer = await call('PUT', `/v1/gateway/providers/${name}`, body);
  if (answer.status !== 200) throw new Error(`PUT provider ${name}: ${answer.text}`);
}

/** A sum over rows of usage. */
export function sum(rows: readonly Record<string, unknown>[], field: string): number {
  return rows.reduce((total, row) => total + Number(row[field]), 0);
}
