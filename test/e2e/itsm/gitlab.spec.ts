import { describe, expect, it } from '@jest/globals';
import { startGitLab, type GitLab } from '../../emulators/gitlab/instance.js';
import type { GitLabIssue } from '../../emulators/gitlab/issues.js';
import type { TestApp } from '../../support/test-app.js';
import { lifeStage, usePlatform, type LifeStage } from './life.support.js';
import { finish } from './tickets.support.js';

const SECRET = 'a-secret-of-webhooks-0123456789';
const HOUR_MS = 3_600_000;

let app: TestApp;
let gitlab: GitLab;

usePlatform(startGitLab, test => {
  ({ app, platform: gitlab } = test);
});

async function connected(secrets: object = {}): Promise<LifeStage> {
  return lifeStage(app, {
    kind: 'gitlab',
    settings: { instance_url: gitlab.origin, project: gitlab.project.path_with_namespace },
    secrets: { access_token: gitlab.token, webhook_secret: SECRET, ...secrets },
  });
}

async function opened(): Promise<LifeStage & { issue: GitLabIssue }> {
  const stage = await connected();
  await stage.violate();
  await stage.settled('created');
  const [issue] = gitlab.issues.all;
  if (!issue) throw new Error('There is no issue.');
  return { ...stage, issue };
}

const notes = (): string[] => gitlab.issues.all.flatMap(issue => issue.notes.map(({ body }) => body));

describe('an incident with a ticket in GitLab', () => {
  it('has one issue, with its severity and its address, and the connector test can read it', async () => {
    const stage = await opened();
    expect(gitlab.issues.all).toMatchObject([
      {
        title: expect.stringContaining('policy_violation'),
        labels: ['service', 'ai-policy', 'high'],
        confidential: true,
      },
    ]);
    expect(await stage.ticket()).toMatchObject({
      ...{ external_ticket_id: 'acme/security/ai-incidents#1', degraded: [] },
      url: `${gitlab.project.web_url}/-/issues/1`,
    });
    const tested = await stage.call('POST', `/v1/itsm/connectors/${stage.connector.id}/test`);
    expect(tested.body).toMatchObject({ passed: true });
    expect(tested.body.checks.length).toBeGreaterThanOrEqual(5);
  });

  it.each(['answer lost', 'broken JSON', '500'] as const)('has one issue after “%s”', async name => {
    const stage = await connected();
    const fault = gitlab.fault(name, ({ method }) => method === 'POST');
    await stage.violate();
    await stage.settled('uncertain');
    fault.end();
    await finish(app, stage.orgId);
    const [ticket] = await stage.settled('created');
    expect(gitlab.issues.all).toHaveLength(1);
    expect(ticket).toMatchObject({ external_ticket_id: 'acme/security/ai-incidents#1', error: null });
  });

  it('updates it once each when it occurs again, is raised, closed and reopened', async () => {
    const { violate, pass, worsen, resolve, ticket, issue } = await opened();
    await violate();
    await pass(31_000);
    expect(notes()).toEqual([expect.stringContaining('Seen 2 times')]);
    await worsen();
    expect(issue.labels).toEqual(['service', 'ai-policy', 'critical']);
    await pass(HOUR_MS);
    await resolve();
    expect(issue.state).toBe('closed');
    expect(await ticket()).toMatchObject({ status: 'resolved', change_error: null });
    expect(notes().at(-1)).toContain('Talked');
    await violate();
    await pass(HOUR_MS);
    expect(issue.state).toBe('opened');
    expect(gitlab.issues.all).toHaveLength(1);
    expect(await ticket()).toMatchObject({ external_ticket_id: 'acme/security/ai-incidents#1', status: 'open' });
    expect(new Set(notes()).size).toBe(notes().length);
  });

  it("follows people's changes by webhooks with the secret", async () => {
    const { report, ticket, violate, pass, issue } = await opened();
    issue.labels.push('wontfix');
    gitlab.issues.transit(issue, 'closed');
    const { body, headers } = gitlab.issues.webhookOf(issue, 'close', { token: SECRET });
    expect(await report(body, { ...headers, 'x-gitlab-token': 'of-somebody-else-16' })).toBe(401);
    expect(await ticket()).toMatchObject({ status: 'open' });
    expect([await report(body, headers), await report(body, headers)]).toEqual([200, 200]);
    expect(await ticket()).toMatchObject({ status: 'closed', resolution: 'wontfix', updated_by: 'root' });
    await violate();
    await pass(HOUR_MS);
    expect(issue).toMatchObject({ state: 'closed', notes: [] });
  });

  it('accepts webhooks about other things if they have the secret, so that GitLab does not disable them', async () => {
    const { report, ticket, issue } = await opened();
    const { body, headers } = gitlab.issues.webhookOf({ ...issue, id: 9_001, iid: 9_001 }, 'close', { token: SECRET });
    expect(await report(body, headers)).toBe(204);
    expect(await report(JSON.stringify({ object_kind: 'push' }), headers)).toBe(204);
    expect(await report(body, { ...headers, 'x-gitlab-token': 'of-somebody-else-16' })).toBe(401);
    expect(await report(JSON.stringify({ external_ticket_id: 'acme/other#1', status: 'closed' }), headers)).toBe(404);
    expect(await ticket()).toMatchObject({ status: 'open' });
  });
});
