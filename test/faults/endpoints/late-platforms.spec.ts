import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatforms, type Platforms } from '../../e2e/itsm/cases/platforms.support.js';
import { makeDue } from '../../e2e/itsm/tickets.support.js';
import { until } from '../../support/webhooks.js';

/**
 * Adapters wait ten and fifteen seconds for the answer to a create. On a slow machine, the timeout is noticed later.
 */
const TIMEOUT_MS = 40_000;

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

describe('platforms that create a ticket and never answer', () => {
  it('have exactly one ticket each in the end, found by its key', async () => {
    const { app } = platforms;
    const [servicenow, jira] = [await platforms.desk('servicenow'), await platforms.desk('jira')];
    const desks = [servicenow, jira];
    for (const { platform } of desks) platform.meets('no answer');
    // Runs both platforms at the same time, so that the test waits only once.
    await Promise.all(desks.map(({ violate }) => violate()));
    for (const { platform, tickets, settled, orgId } of desks) {
      const doubtful = await until(
        async () => (await tickets()).find(({ sync_state: state }) => state === 'uncertain'),
        TIMEOUT_MS,
      );
      expect(doubtful).toMatchObject({ attempts: 1, error_code: 'uncertain', external_ticket_id: null });
      platform.meets();
      await makeDue(app, orgId);
      const [ticket] = await settled('created');
      expect(platform.there()).toEqual([{ key: ticket.id, name: ticket.external_ticket_id }]);
      expect(platform.posts()).toHaveLength(1);
    }
  });
});
