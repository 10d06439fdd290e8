import { defined, type JsonObject } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { readPages } from '../../adapter/platform-api.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import { KEY_PROPERTY, keyLabel } from './jira-issue.js';
import { askJira } from './jira-request.js';
import { isUnknownUser, JiraFailureError, failureWithoutIssue } from './jira-failure.js';
import { browseUrl, type JiraSite } from './jira-site.js';

/** Maximum number of issues that are read. A key never has this many issues. */
const MOST = 50;

/**
 * Finds the issues that carry the key, the newest first. Jira updates its index with a delay of some seconds.
 * Therefore, a new issue may be missing.
 */
export async function findIssues(site: JiraSite, key: string): Promise<TicketRef[]> {
  const label = keyLabel(key);
  const query: JsonObject = {
    jql: queryFor(key),
    fields: ['labels'],
    properties: [KEY_PROPERTY],
    maxResults: MOST,
  };
  // A page may contain fewer issues than requested, or none, even if it is not the last page.
  return readPages<TicketRef, string>(async nextPageToken => {
    const answer = await askJira(site, { path: '/search/jql', json: { ...query, ...defined({ nextPageToken }) } });
    const { issues, nextPageToken: next } = objectIn(answer) ?? {};
    if (answer.status !== 200 || !Array.isArray(issues) || isUnknownUser(answer)) {
      throw new JiraFailureError(failureWithoutIssue(answer, site));
    }
    const carrying = issues.map(asObject).filter(issue => issue !== undefined && carries(issue, key, label));
    return { items: carrying.flatMap(issue => (issue && refOf(issue, site)) ?? []), next: asText(next) };
  });
}

/**
 * A project may not allow labels, so the query also searches descriptions. It may also find issues in which people have
 * quoted the key.
 */
export function queryFor(key: string): string {
  return `labels = ${quote(keyLabel(key))} OR description ~ ${quote(`"${key}"`)} ORDER BY created DESC`;
}

/** Reference to an issue by its key and its id; undefined if one of the two is missing. */
export function refOf({ key, id }: JsonObject, site: JiraSite): TicketRef | undefined {
  const [externalTicketId, platformId] = [asText(key), asText(id)];
  if (externalTicketId === undefined || platformId === undefined) return undefined;
  const url = browseUrl(site, externalTicketId);
  return { externalTicketId, platformId, ...(url !== undefined && { url }) };
}

function carries(issue: JsonObject, key: string, label: string): boolean {
  const property = asObject(asObject(issue['properties'])?.[KEY_PROPERTY]);
  const labels = asObject(issue['fields'])?.['labels'];
  return property?.['key'] === key || (Array.isArray(labels) && labels.includes(label));
}

/** Quotes a text for JQL. JQL does not allow line breaks in it. */
function quote(text: string): string {
  return `"${text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
