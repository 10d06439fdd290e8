import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TouchedHoursUpkeep } from './touched-hours-upkeep.js';
import { startTestApp, type TestApp } from '../../../test/support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

describe('the upkeep of changed hours', () => {
  it('deletes hours of all organizations that are older than 100 days if nobody has read them', async () => {
    const now = new Date('2026-11-20T12:00:00Z');
    app.clock.set(now);
    const organizations = [await app.addOrganization(), await app.addOrganization()].map(({ orgId }) => orgId);
    for (const orgId of organizations) {
      await app.database.asOwner(
        `insert into governance.usage_touched_hours (org_id, hour, touches)
         select $1, h, 1 from generate_series('2026-05-01T00:00Z'::timestamptz, $2, '1 hour') h`,
        [orgId, now],
      );
    }
    await app.app.get(TouchedHoursUpkeep, { strict: false }).forget();
    const left = await app.database.asOwner<{ org_id: string; first: Date; hours: number }>(
      `select org_id, min(hour) as first, count(*)::int as hours from governance.usage_touched_hours
       where org_id = any($1::uuid[]) group by org_id`,
      [organizations],
    );
    const first = new Date('2026-08-12T12:00:00Z');
    expect(left.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))).toEqual(
      organizations.toSorted().map(org_id => ({ org_id, first, hours: 2_401 })),
    );
  });
});
