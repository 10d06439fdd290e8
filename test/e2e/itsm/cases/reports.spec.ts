import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { auditOf } from '../../../support/itsm/ledger.js';
import { held } from '../../../support/itsm/platform-faults.js';
import type { Answer } from '../../../support/test-app.js';
import { until } from '../../../support/webhooks.js';
import { KINDS, startPlatforms, type Kind, type Platforms } from './platforms.support.js';

const STATES = { in_progress: ['2', 'indeterminate'], resolved: ['6', 'done'] } as const;
/** Maximum number of reports per organization that wait for a ticket. */
const PARKED_MAX = 100;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/**
 * The report that the platform sends after a person changed the status of a ticket. Jira sends it by its own webhook,
 * ServiceNow by the business rule. `event`: the id of the event on the platform.
 */
function move(
  kind: Kind,
  name: string,
  status: keyof typeof STATES,
  at: Date,
  { resolution = 'Done', event = at.getTime() } = {},
): JsonObject {
  const [state, category] = STATES[status];
  const isResolved = status === 'resolved';
  if (kind === 'jira') {
    const { emulator } = platforms.jira;
    const issue = emulator.issues.move(name, { category, resolution: isResolved ? resolution : null, at });
    const report = JSON.parse(emulator.webhookOf(issue).body) as JsonObject;
    return { ...report, changelog: { id: String(event), items: [{ field: 'status' }] } };
  }
  const incident = platforms.servicenow.emulator.incidents.find(each => each['number'] === name);
  const [sysId, stamp] = [incident?.['sys_id'] ?? '', at.toISOString().slice(0, 19)];
  platforms.servicenow.emulator.tables.change(sysId, { state, sys_updated_on: stamp.replace('T', ' ') });
  return {
    ...{ external_ticket_id: name, status, updated_by: 'abel.tuter', ...(isResolved && { resolution }) },
    ...{ event_id: `${sysId}:${event}`, occurred_at: `${stamp}Z` },
  };
}

const report = (orgId: string, body: JsonObject): Promise<Answer> =>
  platforms.app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, body);

const at = (seconds: number): Date => new Date(platforms.app.clock.now().getTime() + seconds * 1_000);

async function reportedOf(ticket: string): Promise<string[]> {
  const entries = (await auditOf(platforms.app, ticket)).filter(({ action }) => action === 'ticket.status_reported');
  return entries.map(({ after }) => (after as { status: string }).status);
}

/** The tickets whose reports wait. */
async function parkedOf(orgId: string): Promise<string[]> {
  const sql = `select external_ticket_id as id from governance.itsm_parked_updates where org_id = $1`;
  return (await platforms.app.database.asOwner<{ id: string }>(sql, [orgId])).map(({ id }) => id).toSorted();
}

describe.each(KINDS)('%s: a report', kind => {
  async function opened() {
    const stage = await platforms.desk(kind);
    await stage.violate();
    const [ticket] = await stage.settled('created');
    const name: string = ticket.external_ticket_id;
    const shown = async (): Promise<Answer['body']> => (await stage.call('GET', `/v1/itsm/tickets/${ticket.id}`)).body;
    return { ...stage, ticket, name, shown };
  }

  it('that arrives twice is answered with 200 and leaves one audit entry', async () => {
    const { orgId, ticket, name, shown } = await opened();
    const body = move(kind, name, 'resolved', at(-10));
    for (let time = 0; time < 2; time++) {
      const { status, body: receipt } = await report(orgId, body);
      expect([status, receipt]).toEqual([200, { external_ticket_id: name, status: 'resolved' }]);
    }
    expect(await shown()).toMatchObject({ status: 'resolved' });
    expect(await reportedOf(ticket.id)).toEqual(['resolved']);
  });

  it('of a known event changes nothing, even if its content differs', async () => {
    const { orgId, ticket, name, shown } = await opened();
    const event = at(-10).getTime();
    const other = { resolution: 'Fixed' };
    expect((await report(orgId, move(kind, name, 'resolved', at(-10), { event }))).status).toBe(200);
    const first = await shown();
    expect(first).toMatchObject({ status: 'resolved', resolution: 'Done' });
    platforms.app.clock.advance(1_000);
    const { status, body: receipt } = await report(orgId, move(kind, name, 'resolved', at(-5), { ...other, event }));
    expect([status, receipt]).toEqual([200, { external_ticket_id: name, status: 'resolved' }]);
    expect(await shown()).toEqual(first);
    expect(await reportedOf(ticket.id)).toEqual(['resolved']);
    // A new event with the same content is applied.
    expect((await report(orgId, move(kind, name, 'resolved', at(-5), other))).status).toBe(200);
    expect(await shown()).toMatchObject(other);
  });

  it('that is older than the stored state is ignored', async () => {
    const { orgId, ticket, name, shown } = await opened();
    const older = move(kind, name, 'in_progress', at(-20));
    const newer = move(kind, name, 'resolved', at(-10));
    for (const body of [newer, older]) expect((await report(orgId, body)).status).toBe(200);
    expect(await shown()).toMatchObject({ status: 'resolved' });
    expect(await reportedOf(ticket.id)).toEqual(['resolved']);
  });

  it('without a time is applied in order of arrival', async () => {
    const { orgId, ticket, name, shown } = await opened();
    for (const status of ['resolved', 'in_progress']) {
      expect((await report(orgId, { external_ticket_id: name, status })).status).toBe(200);
    }
    expect(await shown()).toMatchObject({ status: 'in_progress' });
    expect(await reportedOf(ticket.id)).toEqual(['resolved', 'in_progress']);
  });

  it('of an unknown ticket, an unknown organization and one of another organization get the same 404', async () => {
    const { orgId, name, ticket } = await opened();
    const { orgId: other } = await platforms.app.addOrganization();
    const body = move(kind, name, 'resolved', at(-10));
    const answers = [
      await report(orgId, { external_ticket_id: 'NEVER-1', status: 'resolved' }),
      await report(UNKNOWN, body),
      await report(other, body),
    ];
    const bodies = answers.map(({ status, body: { request_id: _id, ...rest } }) => ({ status, rest }));
    expect(bodies).toEqual(Array(3).fill(expect.objectContaining({ status: 404 })));
    expect(new Set(bodies.map(each => JSON.stringify(each))).size).toBe(1);
    expect(await reportedOf(ticket.id)).toEqual([]);
  });

  it('that arrives before the answer to the create is stored, and applied when the ticket is known', async () => {
    const stage = await platforms.desk(kind);
    const { platform, violate, settled, orgId, tickets } = stage;
    const { fault, release } = held();
    platform.meets(fault);
    await violate();
    await until(async () => platform.there().length === 1);
    const [there] = platform.there();
    const name = there?.name ?? '';
    const answers = [
      await report(orgId, move(kind, name, 'resolved', at(-1))),
      await report(orgId, move(kind, name, 'in_progress', at(-2))),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await tickets()).toMatchObject([{ sync_state: 'pending', external_ticket_id: null }]);
    release();
    const [ticket] = await settled('created');
    expect(ticket).toMatchObject({ id: there?.key, external_ticket_id: name, status: 'resolved' });
    expect(await reportedOf(ticket.id)).toEqual(['in_progress', 'resolved']);
    // No create is running any more, so a report about an unknown ticket gets 404.
    expect((await report(orgId, { external_ticket_id: 'NEVER-2', status: 'open' })).status).toBe(404);
  });

  it('that arrives before the answer to the create waits for it; of more than a hundred reports, the newest are kept', async () => {
    const { platform, violate, settled, orgId } = await platforms.desk(kind);
    const { fault, release } = held();
    platform.meets(fault);
    await violate();
    await until(async () => platform.there().length === 1);
    const name = platform.there()[0]?.name ?? '';
    const unknown = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word}-${n}`);
    const [displaced, kept] = [unknown('NEVER', 20), unknown('LATER', PARKED_MAX - 1)];
    const tell = async (ids: readonly string[]): Promise<void> => {
      const answers = await Promise.all(ids.map(id => report(orgId, { external_ticket_id: id, status: 'closed' })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    };
    await tell(displaced);
    expect((await report(orgId, move(kind, name, 'resolved', at(-1)))).status).toBe(200);
    await tell(kept);
    expect(await parkedOf(orgId)).toEqual([name, ...kept].toSorted());
    release();
    const [ticket] = await settled('created');
    expect(ticket).toMatchObject({ external_ticket_id: name, status: 'resolved' });
    expect(await reportedOf(ticket.id)).toEqual(['resolved']);
    expect(await parkedOf(orgId)).toEqual(kept.toSorted());
  });
});
