import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { OidcProvider } from '#dashboard';
import { ManualClock } from '../../support/manual-clock.js';
import { ProviderEmulator } from '../../support/oidc/provider-emulator.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { builtPage, PAGE } from './dashboard.support.js';

/** How groups give roles at the providers of the tests. */
export const GROUPS = { roles: { operators: 'admin', readers: 'auditor' }, claims: { role: 'groups' } } as const;

/** An app with several providers, all of them one emulator. */
export interface OidcStage {
  readonly time: ManualClock;
  readonly provider: ProviderEmulator;
  readonly app: TestApp;
  /** Creates a user and an account of the same person at the provider. The next sign-in is this person's. */
  newPerson(claims?: object): Promise<{ id: string; email: string; sub: string }>;
  /** The latest entry of an action in the audit log. */
  lastOf(action: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the app and its provider. */
async function startOidcStage(): Promise<OidcStage> {
  const time = new ManualClock();
  const provider = await ProviderEmulator.start(() => time.now());
  const login = { user: 'login' } as const;
  const providers = [
    settingsOf(provider, GROUPS),
    settingsOf(provider, { id: 'strict', name: 'Strict', claims: { ...login, role: 'groups' } }),
    settingsOf(provider, { id: 'trusted', name: 'Trusted', claims: login, trustEmail: true, defaultRole: 'member' }),
    settingsOf(provider, { ...GROUPS, id: 'ranks', name: '"Ranks" & <co>', roleFrom: 'user' }),
  ];
  const dashboard = { sessions: true, folder: await builtPage() };
  const app = await startTestApp({ time, dashboard, oidc: { publicUrl: PUBLIC.slice(0, -1), providers } });
  return {
    ...{ time, provider, app },
    async newPerson(claims = {}) {
      const [email, sub] = [`${randomUUID()}@example.com`, randomUUID()];
      const id = await hire(app.call, email);
      const known = { sub, email, email_verified: true, name: 'Ada', org_id: app.orgId, groups: ['operators'] };
      provider.account = { ...known, ...claims };
      return { id, email, sub };
    },
    async lastOf(action) {
      return (await app.call('GET', `/v1/audit-log?action=${action}&limit=1`)).body.items[0];
    },
    async close() {
      await app.close();
      await provider.close();
    },
  };
}

/** The settings of a provider of the tests. */
export function settingsOf({ issuer, clientSecret }: ProviderEmulator, more: Partial<OidcProvider> = {}): OidcProvider {
  return { id: 'acme', name: 'Acme ID', issuer, clientId: 'dashboard', clientSecret, ...more };
}

/** Public address of the dashboard. A proxy with TLS before the app strips the prefix. */
export const PUBLIC = 'https://governance.example.com/tools/';

/**
 * A browser that follows redirects between the dashboard, behind its proxy, and a provider. It stores the dashboard's
 * cookies.
 */
export class Person {
  readonly cookies = new Map<string, string>();
  /** Every cookie and redirect address of the dashboard. */
  readonly seen: string[] = [];

  constructor(private readonly app: Pick<TestApp, 'url'>) {}

  /** Opens an address without following redirects. */
  async open(address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    if (!address.startsWith(PUBLIC)) return fetch(address, { redirect: 'manual' });
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address.replace(PUBLIC, `${this.app.url}/`), {
      ...{ method, redirect: 'manual' },
      headers: { cookie, 'x-forwarded-proto': 'https', ...headers },
    });
    this.keep(response);
    return response;
  }

  /** Presses the button, and returns the address of the redirect. */
  async begin(returnTo = '', id = 'acme'): Promise<string> {
    const query = new URLSearchParams({ return_to: returnTo });
    return placeOf(
      await this.open(`${PUBLIC}session/oidc/${id}?${query.toString()}`, { 'sec-fetch-site': 'same-origin' }),
    );
  }

  /** Opens the provider's address, and returns the address with its answer. */
  async answerAt(address: string): Promise<string> {
    return placeOf(await this.open(address));
  }

  /** Opens the address of an answer, and returns the address of the redirect. */
  async end(answer: string): Promise<string> {
    return placeOf(await this.open(answer, { 'sec-fetch-site': 'cross-site' }));
  }

  /** Signs in, and returns the final address of the browser. */
  async signIn(returnTo = '', id = 'acme'): Promise<string> {
    return this.end(await this.answerAt(await this.begin(returnTo, id)));
  }

  /** Sends a request like the page's script. */
  async call(method: string, path: string): Promise<{ status: number; body: Answer['body']; headers: Headers }> {
    const response = await this.open(PUBLIC + path.slice(1), PAGE, method);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  private keep({ headers }: Response): void {
    this.seen.push(...headers.getSetCookie(), headers.get('location') ?? '');
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

function placeOf(response: Response): string {
  return response.headers.get('location') ?? `status ${response.status}`;
}

/** The error of a failed sign-in in the page's address; undefined if there is none. */
export function errorIn(address: string): string | undefined {
  return new URL(address).searchParams.get('sign_in_error') ?? undefined;
}

/** Adds a user and returns the id. */
export async function hire(call: Call, email: string, more: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/v1/users', { email, name: 'Ada Lovelace', ...more });
  if (status !== 201) throw new Error(`user: ${status}`);
  return body.id as string;
}

/** Starts the stage once per file. Each test has different failures, so a spy records the log of each. */
export function useOidcStage(use: (stage: OidcStage) => void): jest.SpiedFunction<Logger['error']> {
  const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  let stage: OidcStage | undefined;
  beforeAll(async () => {
    stage = await startOidcStage();
    use(stage);
  });
  beforeEach(() => {
    if (!stage) throw new Error('The stage has not started.');
    stage.provider.misbehavior = {};
    stage.provider.hidden = [];
    errors.mockClear();
  });
  afterAll(async () => {
    errors.mockRestore();
    await stage?.close();
  });
  return errors;
}
