import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { duplicateIssues } from '../../../support/itsm/duplicate-issues.js';
import { refuses, type Fault, type FaultName } from '../../../support/itsm/platform-faults.js';
import { finish, makeDue } from '../tickets.support.js';
import { KINDS, startPlatforms, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

const DONE = ['lost answer', 'answer cut short', 'success without id', 'error after success'] satisfies FaultName[];
const NOT_DONE: [string, FaultName | Fault][] = [
  ['the connection ended within the request', 'cut request'],
  ['the platform failed before it created the ticket', refuses(500, {})],
  ['the platform was unreachable', 'unavailable page'],
];

describe.each(KINDS)('%s: a create with unknown outcome', kind => {
  it.each(DONE)('that created the ticket: %s', async fault => {
    const { app } = platforms;
    const { platform, violate, settled, orgId } = await platforms.desk(kind);
    platform.meets(fault);
    await violate();
    const [doubtful] = await settled('uncertain');
    expect(doubtful).toMatchObject({ external_ticket_id: null, next_attempt_at: expect.any(String), attempts: 1 });
    platform.meets();
    await makeDue(app, orgId);
    const [ticket] = await settled('created');
    expect(platform.there()).toEqual([{ key: ticket.id, name: ticket.external_ticket_id }]);
    expect([platform.posts().length, platform.searches().length]).toEqual([1, 1]);
    expect(ticket).toMatchObject({ error: null, attempts: 1 });
  });

  it.each(NOT_DONE)('that did not create the ticket: %s', async (_what, fault) => {
    const { app } = platforms;
    const { platform, violate, settled, orgId } = await platforms.desk(kind);
    platform.meets(fault);
    await violate();
    await settled('uncertain');
    platform.meets();
    await finish(app, orgId);
    const [ticket] = await settled('created');
    expect(platform.there()).toEqual([{ key: ticket.id, name: ticket.external_ticket_id }]);
    // Two creates and four searches: three searches before the second create, and one later for an issue that may
    // appear late.
    expect([platform.posts().length, platform.searches().length]).toEqual([2, 4]);
    expect(ticket).toMatchObject({ error: null, attempts: 2 });
  });
});

describe('jira: a create with unknown outcome', () => {
  it('whose issue no search finds is repeated, and the second issue has an explanation', async () => {
    const { app, jira } = platforms;
    const { platform, violate, settled, orgId } = await platforms.desk('jira');
    platforms.lag(60_000);
    platform.meets('lost answer');
    await violate();
    await settled('uncertain');
    platforms.lag(0);
    platform.meets();
    await finish(app, orgId);
    const [ticket] = await settled('created');
    expect(platform.there().map(({ key }) => key)).toEqual([ticket.id, ticket.id]);
    expect(platform.there().at(-1)?.name).toBe(ticket.external_ticket_id);
    const issues = jira.emulator.issues.all.slice(-2).map(({ foundFrom, createdAt }) => {
      return { key: ticket.id, foundFrom: foundFrom.getTime(), createdAt: createdAt.getTime() };
    });
    const searches = platform.searches().map(({ arrivedAt: at }) => ({ key: ticket.id, at }));
    expect(searches).toHaveLength(4);
    expect(duplicateIssues(issues, searches.slice(0, 3))).toEqual([{ key: ticket.id, isExplained: true }]);
  });
});
