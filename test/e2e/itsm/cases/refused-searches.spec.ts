import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer } from '../../../support/endpoint-behaviours.js';
import { until } from '../../../support/webhooks.js';
import { makeDue, type DeskStage } from '../tickets.support.js';
import { KINDS, startPlatforms, type Platform, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

const TICKETS = 5;
const BODY = JSON.stringify({ errorMessages: ['No.'], errors: {}, error: { message: 'No.', detail: null } });

/** Makes searches fail with this answer. Other requests succeed. */
function refuseSearches({ endpoint }: Platform, status: number, headers: Record<string, string> = {}): void {
  const refusal = answer(status, BODY, { 'content-type': 'application/json', ...headers });
  endpoint.intercept(({ url }) =>
    url.pathname.endsWith('/search/jql') || url.search.includes('correlation_id') ? refusal : undefined,
  );
}

/** Whether all missing tickets wait for at least this many milliseconds. */
async function waits({ tickets }: DeskStage, milliseconds: number): Promise<boolean> {
  const due = (await tickets('&sync_state=uncertain')).map(({ next_attempt_at: next }) => next);
  return due.length === TICKETS && due.every(next => next !== null && Date.parse(next) > Date.now() + milliseconds);
}

describe.each(KINDS)('%s: a search for tickets that may exist', kind => {
  /** Creates an organization with tickets whose create requests have an unknown outcome. */
  async function inDoubt() {
    const stage = await platforms.desk(kind);
    stage.platform.meets('lost answer');
    for (let n = 0; n < TICKETS; n++) await stage.violate(undefined, { model: `model-${n}` });
    await stage.settled('uncertain', TICKETS);
    return stage;
  }

  it('that is refused with 401 stops all other searches, the operator sees why, and new credentials let them continue', async () => {
    const { app } = platforms;
    const stage = await inDoubt();
    const { platform, settled, call, connector, orgId } = stage;
    const path = `/v1/itsm/connectors/${connector.id}`;
    refuseSearches(platform, 401);
    await makeDue(app, orgId);
    await until(() => waits(stage, 60_000), 30_000);
    expect((await call('GET', path)).body.problem).toMatchObject({ code: 'auth' });
    // Tickets that were not attempted since then keep their earlier message, so at least one ticket must have the new
    // one.
    const said = (await stage.tickets()).map(({ error }) => error).join();
    expect(said).toMatch(kind === 'jira' ? /e-mail and API token/ : /credentials \(401\)/);
    const asked = platform.searches().length;
    expect(asked).toBeLessThanOrEqual(TICKETS);
    await makeDue(app, orgId);
    await until(() => waits(stage, 60_000), 30_000);
    expect(platform.searches()).toHaveLength(asked);
    platform.meets();
    await call('PATCH', path, { secrets: platform.connector().secrets });
    await settled('created', TICKETS);
    expect([platform.posts().length, platform.there().length]).toEqual([TICKETS, TICKETS]);
  });

  it('that is refused with 429 is repeated at the time that the platform names, like all other requests', async () => {
    const { app } = platforms;
    const stage = await inDoubt();
    const { platform, settled, orgId, call, connector } = stage;
    refuseSearches(platform, 429, { 'retry-after': '600' });
    await makeDue(app, orgId);
    await until(() => waits(stage, 500_000), 30_000);
    const asked = platform.searches().length;
    expect(asked).toBeLessThanOrEqual(TICKETS);
    await makeDue(app, orgId);
    await until(() => waits(stage, 500_000), 30_000);
    expect(platform.searches()).toHaveLength(asked);
    expect((await call('GET', `/v1/itsm/connectors/${connector.id}`)).body.problem).toBeNull();
    platform.meets();
    app.clock.advance(601_000);
    await makeDue(app, orgId);
    await settled('created', TICKETS);
    expect(platform.there()).toHaveLength(TICKETS);
  });
});
