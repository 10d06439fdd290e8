import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { deskStage, makeDue, type DeskStage } from './tickets.support.js';

/** An organization with one incident that has a ticket. */
export interface LifeStage extends DeskStage {
  /** The newest ticket. */
  ticket(): Promise<Answer['body']>;
  /** Advances the time, and waits until no task is due. */
  pass(milliseconds: number): Promise<void>;
  /** Resolves the incident, and waits until no task is due. */
  resolve(): Promise<void>;
  /** Raises the severity of the policy to `critical`, violates it once, and waits until no task is due. */
  worsen(): Promise<void>;
  /** Sends the platform's report. Returns the status of the answer. */
  report(body: string, headers: Record<string, string>): Promise<number>;
}

/** Creates a connector for a platform. `policy` is the violated one. */
export async function lifeStage(app: TestApp, connector: object): Promise<LifeStage> {
  const stage = await deskStage(app, connector);
  const { orgId, call, connector: made } = stage;
  const quiet = (): Promise<unknown> =>
    until(async () => {
      const due = await app.database.asOwner(
        `select 1 from governance.tasks where org_id = $1 and queue like 'itsm%'
         and (lease_token is not null or due_at <= governance.now())`,
        [orgId],
      );
      return due.length === 0;
    });
  return {
    ...stage,
    ticket: async () => (await stage.tickets())[0],
    pass: async milliseconds => {
      app.clock.advance(milliseconds);
      await makeDue(app, orgId);
      await quiet();
    },
    resolve: async () => {
      const [{ id }] = (await stage.incidents()) as [{ id: string }];
      const body = { status: 'resolved', resolution: 'Talked.' };
      expect((await call('PATCH', `/v1/incidents/${id}`, body)).status).toBe(200);
      await quiet();
    },
    worsen: async () => {
      const policy = { name: 'Large models', action: 'block', severity: 'critical' };
      expect((await call('PUT', `/v1/policies/${stage.policyId}`, policy)).status).toBe(200);
      await stage.violate();
      await quiet();
    },
    report: async (body, headers) => {
      const path = `/v1/integrations/itsm/webhook/${orgId}?connector_id=${made.id}`;
      return (await app.as(null)('POST', path, body, { 'content-type': 'application/json', ...headers })).status;
    },
  };
}

/** The context of the tests of a file: one app, and a separate platform for each test. */
export interface PlatformTest<Platform> {
  readonly app: TestApp;
  readonly platform: Platform;
}

/** Starts the app once, and before each test the emulator of a platform whose certificate the app trusts. */
export function usePlatform<Platform extends { close(): Promise<unknown> }>(
  start: (options: { authority: Authority }) => Promise<Platform>,
  use: (test: PlatformTest<Platform>) => void,
): void {
  let authority: Authority;
  let distrust: (() => void) | undefined;
  let app: TestApp | undefined;
  let platform: Platform | undefined;
  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    app = await startTestApp(LOOPBACK_ALLOWED);
  });
  afterAll(async () => {
    await app?.close();
    distrust?.();
  });
  beforeEach(async () => {
    if (!app) throw new Error('The app has not started.');
    await app.database.asOwner(`delete from governance.tasks where queue like 'itsm%'`);
    platform = await start({ authority });
    use({ app, platform });
  });
  afterEach(async () => {
    await platform?.close();
    platform = undefined;
  });
}
