import { isUuid, type JsonObject } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import { queryFor, refOf } from '../jira/find-issue.js';
import { keyLabel } from '../jira/jira-issue.js';
import { askJira } from '../jira/jira-request.js';
import type { JiraSite } from '../jira/jira-site.js';
import { isUnknownUser, JiraTroubleError, troubleWithoutIssue } from '../jira/jira-trouble.js';

/** More than one key ever has; instances may allow fewer on a page. */
const PAGE_SIZE = 50;
const MAX_PAGES = 10;

/**
 * The issues that carry the key, the newest first. Each node of a cluster has an index of its own, which is late for what
 * another node created.
 * @throws JiraTroubleError, AdapterHttpError
 */
export async function searchIssues(site: JiraSite, key: string): Promise<TicketRef[]> {
  // A key is a UUID; anything else was never given to an issue.
  if (!isUuid(key)) return [];
  const query = { jql: queryFor(key), fields: ['labels', 'description'], maxResults: PAGE_SIZE };
  const found: TicketRef[] = [];
  let startAt = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await askJira(site, { path: '/search', json: { ...query, startAt } });
    const { issues, total } = objectIn(answer) ?? {};
    if (answer.status !== 200 || !Array.isArray(issues) || typeof total !== 'number' || isUnknownUser(answer)) {
      throw new JiraTroubleError(troubleWithoutIssue(answer, site));
    }
    const carrying = issues.map(asObject).filter(issue => issue !== undefined && carries(issue, key));
    found.push(...carrying.flatMap(issue => (issue && refOf(issue, site)) ?? []));
    startAt += issues.length;
    if (issues.length === 0 || startAt >= total) return found;
  }
  throw new JiraTroubleError({ kind: 'retryable', message: `Jira’s search has more than ${MAX_PAGES} pages.` });
}

/** Projects without labels have the key at the end of the description only. */
function carries({ fields }: JsonObject, key: string): boolean {
  const { labels, description } = asObject(fields) ?? {};
  const isLabeled = Array.isArray(labels) && labels.includes(keyLabel(key));
  return isLabeled || asText(description)?.trimEnd().endsWith(`Reference: ${key}`) === true;
}
