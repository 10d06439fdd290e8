import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../../../support/certificates.js';
import { redirect } from '../../../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../../support/https-endpoint.js';
import { refuses, type Fault, type FaultName } from '../../../support/itsm/platform-faults.js';
import { until } from '../../../support/webhooks.js';
import { hurry } from '../tickets.support.js';
import { KINDS, startPlatforms, type Platforms } from './platforms.support.js';

let platforms: Platforms;
let login: Endpoint;

beforeAll(async () => {
  platforms = await startPlatforms();
  login = await startEndpoint({ authority: await makeAuthority() });
});

afterAll(async () => {
  await platforms?.close();
  await login?.close();
});

const UNAUTHORIZED = refuses(401, { errorMessages: ['Client must be authenticated.'] });

describe.each(KINDS)('%s: a platform that lets nobody in', kind => {
  it.each<[string, string, FaultName | Fault]>([
    ['a page, as an instance that sleeps shows it', 'hibernating', 'login page'],
    ['a redirect to a login', 'auth', () => redirect(login.url)],
    ['401', 'auth', UNAUTHORIZED],
    ['403', 'forbidden', refuses(403, {})],
  ])('rejects with a reason, and is not asked again: %s', async (_what, code, fault) => {
    const { app } = platforms;
    const { platform, violate, settled, call, connector, orgId } = await platforms.desk(kind);
    platform.meets(fault);
    await violate();
    const [ticket] = await settled('rejected');
    expect(ticket).toMatchObject({ error_code: code, external_ticket_id: null, next_attempt_at: null, attempts: 1 });
    await hurry(app, orgId);
    const { problem } = (await call('GET', `/v1/itsm/connectors/${connector.id}`)).body;
    expect(problem).toMatchObject({ code, message: ticket.error });
    expect([platform.posts().length, platform.searches().length, platform.there().length]).toEqual([1, 0, 0]);
    // No credentials follow a redirect.
    expect(login.connections).toBe(0);
  });

  it('in operation: the breaker opens, the operator sees it once, and new credentials close it', async () => {
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
    await until(async () => {
      const waiting = (await tickets('&sync_state=pending')).map(({ next_attempt_at: next }) => next);
      return waiting.length === 20 && waiting.every(next => next !== null && Date.parse(next) > Date.now() + 500);
    });
    expect(platform.posts()).toHaveLength(2);
    app.clock.advance(1_000);
    expect((await call('GET', path)).body.problem).toEqual(seen);
    platform.meets();
    const { secrets } = platform.connector();
    expect((await call('PATCH', path, { secrets })).body.problem).toBeNull();
    // With the one that was rejected.
    await settled('created', 22);
    expect(platform.there()).toHaveLength(22);
  });
});
