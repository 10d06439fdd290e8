import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../support/test-app.js';
import { startPlatforms, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/** Tests a connector. Returns the result without the ticket that the test creates. */
async function warningsOf(call: Answer['body'], id: string): Promise<string[]> {
  const { body } = await call('POST', `/v1/itsm/connectors/${id}/test`);
  expect(body).toMatchObject({ passed: true, ticket: { sync_state: 'created' } });
  return body.checks
    .filter(({ status }: { status: string }) => status === 'warning')
    .map(({ message }: { message: string }) => message);
}

describe('jira: a field that the project does not have', () => {
  it('is left out if it is not on the screen, and the ticket names it', async () => {
    const { platform, violate, settled, call, connector } = await platforms.desk('jira', { project_key: 'BARE' });
    await violate();
    const [ticket] = await settled('created');
    expect(ticket.degraded).toEqual([
      expect.stringContaining('has no labels field'),
      expect.stringContaining('has no priority field'),
    ]);
    const [post] = platform.posts();
    expect(post?.json).toHaveProperty('fields.summary');
    expect(post?.json).not.toHaveProperty('fields.labels');
    expect(post?.json).not.toHaveProperty('fields.priority');
    expect(await warningsOf(call, connector.id)).not.toEqual([]);
  });

  it('is left out if priorities have other names, and the ticket names it', async () => {
    const { platform, violate, settled, call, connector } = await platforms.desk('jira', { project_key: 'GERMAN' });
    await violate();
    const [ticket] = await settled('created');
    expect(ticket.degraded).toEqual([expect.stringContaining('High')]);
    const [post] = platform.posts();
    expect(post?.json).not.toHaveProperty('fields.priority');
    expect(post?.json).toHaveProperty('fields.labels', expect.arrayContaining(['service', 'ai-policy', 'high']));
    expect(await warningsOf(call, connector.id)).not.toEqual([]);
  });
});

describe('jira: a field that the project spells differently', () => {
  it("is sent in the project's spelling, and nothing is missing", async () => {
    const { jira } = platforms;
    const settings = { project_key: 'SHOUTING', issue_type: 'Bug' };
    const { platform, violate, settled, call, connector } = await platforms.desk('jira', settings);
    const burnt = jira.emulator.issues.burntNumbers;
    await violate();
    const [ticket] = await settled('created');
    expect(ticket.degraded).toEqual([]);
    expect(platform.posts()).toHaveLength(1);
    expect(platform.posts()[0]?.json).toMatchObject({
      fields: { priority: { id: '2' }, issuetype: { id: '10011' } },
    });
    expect(await warningsOf(call, connector.id)).toEqual([]);
    expect(jira.emulator.issues.burntNumbers).toBe(burnt);
  });
});

describe('servicenow: a group of incidents', () => {
  it.each([
    ['is unknown', 'Nobody', 'No active group is called “Nobody”: incidents are created without one.'],
    ['is ambiguous', 'Twice', 'Several active groups are called “Twice”: incidents are created without one.'],
  ])('that %s: the connector test reports it, and tickets have no group', async (_what, assignment_group, problem) => {
    const { emulator } = platforms.servicenow;
    for (let at = 0; at < 2; at++) emulator.addGroup('Twice');
    const { platform, violate, settled, call, connector } = await platforms.desk('servicenow', { assignment_group });
    expect(await warningsOf(call, connector.id)).toEqual([problem]);
    await violate();
    const tickets = await settled('created', 2);
    expect(tickets.map(({ origin }) => origin as string).toSorted()).toEqual(['automatic', 'test']);
    expect(tickets.map(({ degraded }) => degraded)).toEqual([[problem], [problem]]);
    expect(platform.posts().every(({ json }) => !Object.hasOwn(json as object, 'assignment_group'))).toBe(true);
  });

  it('that exists is sent by its sys_id, which is looked up once', async () => {
    const { emulator } = platforms.servicenow;
    const sysId = emulator.addGroup('Security');
    const stage = await platforms.desk('servicenow', { assignment_group: 'Security' });
    const { platform, violate, settled } = stage;
    const before = platform.endpoint.received.length;
    await violate();
    await settled('created');
    for (const model of ['a', 'b']) await violate(undefined, { model });
    const tickets = await settled('created', 3);
    expect(tickets.map(({ degraded }) => degraded)).toEqual([[], [], []]);
    expect(platform.posts().map(({ json }) => json)).toEqual(
      Array(3).fill(expect.objectContaining({ assignment_group: sysId })),
    );
    const lookUps = platform.endpoint.received.slice(before).filter(({ path }) => path.includes('sys_user_group'));
    expect(lookUps).toHaveLength(1);
  });
});
