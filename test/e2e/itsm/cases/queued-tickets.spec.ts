import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../support/webhooks.js';
import { makeDue } from '../tickets.support.js';
import { KINDS, NAME, startPlatforms, type Kind, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/** An organization with a ticket that waits for its next attempt. */
async function waiting(kind: Kind) {
  const stage = await platforms.desk(kind);
  stage.platform.meets('no more for 7 s');
  await stage.violate();
  await until(async () => (await stage.tickets()).find(({ attempts }) => attempts === 1));
  stage.platform.quieten();
  platforms.app.clock.advance(7_001);
  return { ...stage, path: `/v1/itsm/connectors/${stage.connector.id}` };
}

describe.each(KINDS)('%s: a repeated violation', kind => {
  it('has the same incident and the same ticket, before and after the platform has answered', async () => {
    const { platform, violate, settled, tickets, incidents } = await platforms.desk(kind);
    await Promise.all(Array.from({ length: 6 }, () => violate()));
    const [ticket] = await settled('created');
    await violate();
    expect(await incidents()).toMatchObject([{ id: ticket.incident_id, occurrences: 7 }]);
    expect(await tickets()).toHaveLength(1);
    expect(platform.there()).toEqual([{ key: ticket.id, name: ticket.external_ticket_id }]);
  });
});

describe.each(KINDS)('%s: a connector with a waiting ticket', kind => {
  it('sends nothing while it is inactive, and sends the ticket when it is active', async () => {
    const { app } = platforms;
    const { platform, path, call, orgId, settled, tickets } = await waiting(kind);
    await call('PATCH', path, { active: false });
    await makeDue(app, orgId);
    await new Promise(done => setTimeout(done, 200));
    expect(await tickets()).toMatchObject([{ sync_state: 'pending', next_attempt_at: null }]);
    expect(platform.posts()).toEqual([]);
    await call('PATCH', path, { active: true });
    await settled('created');
    expect(platform.there()).toHaveLength(1);
  });

  it('sends the ticket with its current settings', async () => {
    const { app } = platforms;
    const { platform, path, call, orgId, settled } = await waiting(kind);
    const sysId = platforms.servicenow.emulator.addGroup(`Night shift of ${orgId}`);
    const change = kind === 'jira' ? { project_key: 'OTHER' } : { assignment_group: `Night shift of ${orgId}` };
    const { settings } = platform.connector(change);
    expect((await call('PATCH', path, { settings })).status).toBe(200);
    await makeDue(app, orgId);
    const [ticket] = await settled('created');
    if (kind === 'jira') expect(ticket.external_ticket_id).toMatch(/^OTHER-/);
    else expect(platform.posts()[0]?.json).toMatchObject({ assignment_group: sysId });
  });

  it('requires its secret again when its address changes, and then calls the new address', async () => {
    const { app } = platforms;
    const { platform, path, call, orgId, settled } = await waiting(kind);
    const { port } = new URL(platform.endpoint.origin);
    const { settings, secrets } = platform.connector({ instance_url: `https://${NAME}:${port}` });
    const refused = await call('PATCH', path, { settings });
    expect(refused.status).toBe(400);
    expect(refused.body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(
      Object.keys(secrets)
        .map(name => `secrets.${name}`)
        .toSorted(),
    );
    expect(refused.body.details[0].message).toContain(`https://${NAME}:${port}`);
    expect(await call('PATCH', path, { settings, secrets })).toMatchObject({ status: 200 });
    await makeDue(app, orgId);
    const [ticket] = await settled('created');
    expect(platform.posts()[0]?.headers.host).toBe(`${NAME}:${port}`);
    expect(ticket.url).toContain(`https://${NAME}:${port}/`);
  });
});
