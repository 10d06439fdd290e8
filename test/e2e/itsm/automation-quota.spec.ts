import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import { blocksOf } from '../../docs/markdown.js';
import type { Issue } from '../../emulators/jira/issues.js';
import { transit } from '../../emulators/jira/life.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { lifeStage, type LifeStage } from './life.support.js';

/** The rule that docs/ticket-updates.md describes: one body for each status category. */
const [DONE = '', STARTED = ''] = blocksOf('docs/ticket-updates.md')
  .filter(({ marks }) => marks[0] === 'automation')
  .map(({ code }) => code);

/**
 * Jira Automation with the rule of the documentation, and a quota of runs a month
 * (https://support.atlassian.com/cloud-automation/docs/how-is-my-usage-calculated/). Once it is used up, rules do not run.
 */
class Automation {
  runs = 0;

  constructor(
    private readonly stage: LifeStage,
    private readonly quota: number,
  ) {}

  async run(issue: Issue): Promise<void> {
    if (this.runs >= this.quota) return;
    this.runs += 1;
    const values: Record<string, string> = {
      'issue.key': issue.key,
      'issue.id': issue.id,
      'issue.resolution.name.jsonEncode': issue.resolution ?? '',
      'initiator.emailAddress': 'mia@example.com',
      'issue.updated': issue.updatedAt.toISOString().replace('Z', '+0000'),
    };
    const template = issue.status.category === 'done' ? DONE : STARTED;
    const body = template.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => values[name] ?? '');
    const status = await this.stage.report(body, {});
    if (status !== 200) throw new Error(`The report was answered with ${status}.`);
  }
}

describe('a site of Jira whose automation rules report the status of tickets', () => {
  let app: TestApp;
  let site: Site;
  let distrust: () => void;

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    site = await startSite({ authority });
    app = await startTestApp({ ...LOOPBACK_ALLOWED, itsm: { reconcileMinutes: 15 } });
  });

  afterAll(async () => {
    await app?.close();
    await site?.close();
    distrust();
  });

  it('reports nothing more once the quota of rules is used up, and the poll of the platform brings the status', async () => {
    const stage = await lifeStage(app, {
      kind: 'jira',
      settings: { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task' },
      secrets: site.account,
    });
    await stage.violate();
    await stage.settled('created');
    const [issue] = site.issues.all;
    if (!issue) throw new Error('There is no issue.');
    const automation = new Automation(stage, 1);
    transit(issue, { name: 'Done', category: 'done' }, 'Done', new Date());
    await automation.run(issue);
    expect(await stage.ticket()).toMatchObject({ status: 'resolved', resolution: 'Done' });
    transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, new Date());
    await automation.run(issue);
    expect(automation.runs).toBe(1);
    expect(await stage.ticket()).toMatchObject({ status: 'resolved' });
    await app.app.get(Reconciliation).look();
    await until(async () => (await stage.ticket()).status === 'in_progress');
  });
});
