import type { JsonObject } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { readPages } from '../../adapter/platform-api.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import { queryFor, refOf } from '../jira/find-issue.js';
import { keyLabel } from '../jira/jira-issue.js';
import { askJira } from '../jira/jira-request.js';
import type { JiraSite } from '../jira/jira-site.js';
import { isUnknownUser, JiraFailureError, failureWithoutIssue } from '../jira/jira-failure.js';

/** Maximum number of issues per page. A key never has this many issues. An instance may limit pages to fewer issues. */
const PAGE_SIZE = 50;

/**
 * Finds the issues that carry the key, the newest first. Each node of a cluster has its own index. The index of one
 * node contains issues that other nodes created only after a delay.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function searchIssues(site: JiraSite, key: string): Promise<TicketRef[]> {
  const query = { jql: queryFor(key), fields: ['labels', 'description'], maxResults: PAGE_SIZE };
  return readPages<TicketRef, number>(async (startAt = 0) => {
    const answer = await askJira(site, { path: '/search', json: { ...query, startAt } });
    const { issues, total } = objectIn(answer) ?? {};
    if (answer.status !== 200 || !Array.isArray(issues) || typeof total !== 'number' || isUnknownUser(answer)) {
      throw new JiraFailureError(failureWithoutIssue(answer, site));
    }
    const carrying = issues.map(asObject).filter(issue => issue !== undefined && carries(issue, key));
    const read = startAt + issues.length;
    const next = issues.length === 0 || read >= total ? undefined : read;
    return { items: carrying.flatMap(issue => (issue && refOf(issue, site)) ?? []), next };
  });
}

/** If a project does not allow labels, only the end of the description contains the key. */
function carries({ fields }: JsonObject, key: string): boolean {
  const { labels, description } = asObject(fields) ?? {};
  const isLabeled = Array.isArray(labels) && labels.includes(keyLabel(key));
  return isLabeled || asText(description)?.trimEnd().endsWith(`Reference: ${key}`) === true;
}
