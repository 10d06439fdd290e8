import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { makeAuthority } from '../../../support/certificates.js';
import { redirect } from '../../../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../../support/https-endpoint.js';
import { toBehaviour } from '../../../support/itsm/platform-endpoint.js';
import { FAULTS, held, refuses, type Fault, type FaultName } from '../../../support/itsm/platform-faults.js';
import type { Answer } from '../../../support/test-app.js';
import { until } from '../../../support/webhooks.js';
import { makeDue, wake } from '../tickets.support.js';
import { KINDS, startPlatforms, type Platforms } from './platforms.support.js';

let platforms: Platforms;
let login: Endpoint;
const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();

beforeAll(async () => {
  platforms = await startPlatforms();
  login = await startEndpoint({ authority: await makeAuthority() });
});

afterAll(async () => {
  await platforms?.close();
  await login?.close();
  warnings.mockRestore();
});

const UNAUTHORIZED = refuses(401, { errorMessages: ['Client must be authenticated.'] });

/** The failing answers, each with the code of its reason. */
const CLOSED: [string, string, FaultName | Fault][] = [
  ['a page, as of a hibernating instance', 'hibernating', 'login page'],
  ['a redirect to a sign-in page', 'auth', () => redirect(login.url)],
  ['401', 'auth', UNAUTHORIZED],
  ['403', 'forbidden', refuses(403, {})],
];

/** Whether there are this many tickets, and every ticket waits for a later attempt. */
function areWaiting(tickets: readonly Answer['body'][], count: number): boolean {
  const times = tickets.map(({ next_attempt_at: next }) => next);
  return times.length === count && times.every(next => next !== null && Date.parse(next) > Date.now() + 500);
}

describe.each(KINDS)('%s: a platform that refuses every login', kind => {
  it.each(CLOSED)(
    'makes the create fail with a reason, and gets no further request: %s',
    async (_what, code, fault) => {
      const { app } = platforms;
      const { platform, violate, settled, call, connector, orgId } = await platforms.desk(kind);
      platform.meets(fault);
      await violate();
      const [ticket] = await settled('rejected');
      expect(ticket).toMatchObject({ error_code: code, external_ticket_id: null, next_attempt_at: null, attempts: 1 });
      await makeDue(app, orgId);
      const { problem } = (await call('GET', `/v1/itsm/connectors/${connector.id}`)).body;
      expect(problem).toMatchObject({ code, message: ticket.error });
      expect([platform.posts().length, platform.searches().length, platform.there().length]).toEqual([1, 0, 0]);
      // The app must not follow the redirect, because it would send the credentials to another server.
      expect(login.connections).toBe(0);
    },
  );

  it('causes one warning and one problem for many tickets, and the problem keeps the time of the first refusal', async () => {
    const { app } = platforms;
    const { platform, violate, settled, call, connector, orgId } = await platforms.desk(kind);
    const path = `/v1/itsm/connectors/${connector.id}`;
    const many = (word: string) =>
      Promise.all(Array.from({ length: 8 }, (_, at) => violate(undefined, { model: `${word}-${at}` })));
    const problem = async () => (await call('GET', path)).body.problem;
    // The number of parallel requests of a connector grows with its successful answers. Eight of them allow eight
    // requests at once.
    await many('good');
    await settled('created', 8);
    // The hold makes all requests begin at the same time. Otherwise the first hanging request would prevent the later
    // ones.
    const hold = [orgId, connector.id];
    await app.database.asOwner(`insert into governance.task_holds values ($1, 'itsm', $2)`, hold);
    await many('bad');
    platform.quieten();
    const [first, others] = [held(UNAUTHORIZED), held(UNAUTHORIZED)];
    platform.meets(duty => (platform.posts().length === 1 ? first : others).fault(duty));
    const since = app.clock.now().toISOString();
    await app.database.asOwner(`delete from governance.task_holds where org_id = $1 and key = $2`, hold);
    await wake(app);
    await until(async () => platform.posts().length === 8);
    first.release();
    await settled('rejected');
    expect(await problem()).toMatchObject({ code: 'auth', since });
    app.clock.advance(1_000);
    others.release();
    await settled('rejected', 8);
    expect(await problem()).toMatchObject({ code: 'auth', since });
    // The attempt after the pause gets the same answer, so the time of the problem does not change.
    app.clock.advance(300_000);
    await violate(undefined, { model: 'late' });
    await settled('rejected', 9);
    expect(await problem()).toMatchObject({ code: 'auth', since });
    const said = warnings.mock.calls.map(String).filter(line => line.includes(connector.id));
    expect(said).toEqual([expect.stringContaining('is paused and opens no tickets')]);
  });

  it('during operation: the circuit breaker opens, the operator sees one problem, and new credentials reset it', async () => {
    const { app } = platforms;
    const { platform, violate, settled, tickets, call, connector } = await platforms.desk(kind);
    await violate();
    await settled('created');
    platform.meets(UNAUTHORIZED);
    await violate(undefined, { model: 'first' });
    await settled('rejected');
    const path = `/v1/itsm/connectors/${connector.id}`;
    const seen = (await call('GET', path)).body.problem;
    await Promise.all(Array.from({ length: 20 }, (_, at) => violate(undefined, { model: `m-${at}` })));
    await until(async () => areWaiting(await tickets('&sync_state=pending'), 20));
    expect(platform.posts()).toHaveLength(2);
    app.clock.advance(1_000);
    expect((await call('GET', path)).body.problem).toEqual(seen);
    platform.meets();
    const { secrets } = platform.connector();
    expect((await call('PATCH', path, { secrets })).body.problem).toBeNull();
    // All 22 tickets are created, including the ticket that was rejected.
    await settled('created', 22);
    expect(platform.there()).toHaveLength(22);
  });
});

describe('jira: a site that refuses every login, also for the create metadata', () => {
  it.each(CLOSED)('gets one request, and no ticket: %s', async (_what, code, fault) => {
    const { app, jira } = platforms;
    const { platform, violate, settled, tickets, call, connector } = await platforms.desk('jira');
    // The cached project data has expired.
    app.clock.advance(61_000);
    const made = typeof fault === 'string' ? FAULTS[fault] : fault;
    platform.endpoint.intercept((_request, perform) => made(() => toBehaviour(perform())));
    const [asked, burnt] = [platform.endpoint.received.length, jira.emulator.issues.burntNumbers];
    await violate();
    const [ticket] = await settled('rejected');
    expect(ticket).toMatchObject({ error_code: code, external_ticket_id: null, next_attempt_at: null });
    await violate(undefined, { model: 'another' });
    await until(async () => areWaiting(await tickets('&sync_state=pending'), 1));
    const { problem } = (await call('GET', `/v1/itsm/connectors/${connector.id}`)).body;
    expect(problem).toMatchObject({ code, message: ticket.error });
    expect(platform.endpoint.received.slice(asked).map(({ path }) => path)).toEqual([
      expect.stringContaining('/issue/createmeta/'),
    ]);
    expect([platform.there(), jira.emulator.issues.burntNumbers, login.connections]).toEqual([[], burnt, 0]);
  });
});
