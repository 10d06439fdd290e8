import { describe, expect, it } from '@jest/globals';
import type { Issue } from '../../emulators/jira/issues.js';
import { transit } from '../../emulators/jira/life.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import type { TestApp } from '../../support/test-app.js';
import { lifeStage, usePlatform, type LifeStage } from './life.support.js';

const SECRET = 'a-secret-of-webhooks-0123456789';
const HOUR_MS = 3_600_000;

let app: TestApp;
let site: Site;

usePlatform(startSite, test => {
  ({ app, platform: site } = test);
});

/** An incident whose issue people ended as “Wird nicht erledigt”, which the site has reported in German. */
async function declined(): Promise<LifeStage & { issue: Issue }> {
  site.conditions.language = 'de';
  const stage = await lifeStage(app, {
    kind: 'jira',
    settings: { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task' },
    secrets: { ...site.account, webhook_secret: SECRET },
  });
  await stage.violate();
  await stage.settled('created');
  const [issue] = site.issues.all;
  if (!issue) throw new Error('There is no issue.');
  transit(issue, { name: 'Done', category: 'done' }, "Won't Do", new Date());
  const { body, headers } = site.webhookOf(issue, SECRET);
  expect(await stage.report(body, headers)).toBe(200);
  expect(await stage.ticket()).toMatchObject({ status: 'resolved', resolution: 'Wird nicht erledigt' });
  return { ...stage, issue };
}

/** The expected issue, unchanged since people ended it. */
const UNTOUCHED = { status: { category: 'done' }, resolution: "Won't Do", comments: [] };

describe('an issue that people ended as “Wird nicht erledigt”', () => {
  it('is read before a reopening, and stays as it is when the incident occurs again', async () => {
    const { violate, pass, ticket, issue } = await declined();
    for (let hour = 0; hour < 2; hour++) {
      await violate();
      await pass(HOUR_MS / 2);
    }
    expect(issue).toMatchObject(UNTOUCHED);
    expect(await ticket()).toMatchObject({ change_error: expect.stringContaining("“Won't Do”") });
    expect(site.issues.all).toHaveLength(1);
  });

  it('is read before a reopening, and the next incident of the same kind gets a separate issue', async () => {
    const { violate, resolve, settled, issue } = await declined();
    await resolve();
    app.clock.advance(1_000);
    await violate();
    await settled('created', 2);
    expect(issue).toMatchObject(UNTOUCHED);
    expect(site.issues.all).toHaveLength(2);
  });

  it('gets the missed changes once people reopen it', async () => {
    const { violate, pass, report, issue } = await declined();
    await violate();
    await pass(HOUR_MS / 2);
    expect(issue.comments).toEqual([]);
    transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, new Date(Date.now() + 1_000));
    const { body, headers } = site.webhookOf(issue, SECRET);
    expect(await report(body, headers)).toBe(200);
    await pass(60_000);
    expect(JSON.stringify(issue.comments)).toContain('Seen 2 times');
  });
});
