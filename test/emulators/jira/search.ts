import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import { refused, type SiteConditions } from './conditions.js';
import { showIssue, type Issues } from './issues.js';
import { languageOf } from './names.js';
import type { Call } from './routes.js';

/**
 * `/rest/api/3/search/jql`: pages by `nextPageToken`, without a total. A page may contain fewer issues than requested
 * (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search). GET has the parameters in the
 * query, POST in the body.
 */
export function searchIssues({ isKnown, request }: Call, issues: Issues, conditions: SiteConditions): PlatformAnswer {
  const body = request.method === 'POST' ? (asObject(request.json) ?? {}) : fromQuery(request.url);
  const { jql, nextPageToken, maxResults, fields, properties, reconcileIssues, ...others } = body;
  const unknown = Object.keys(others).filter(name => name !== 'expand' && name !== 'fieldsByKeys');
  // The schema of the body allows no further fields.
  if (typeof jql !== 'string' || unknown.length > 0) return refused(400, ['Invalid request payload.', ...unknown]);
  const reconciled = Array.isArray(reconcileIssues) ? reconcileIssues.map(String) : [];
  if (reconciled.length > RECONCILED_MAX) return refused(400, ['reconcileIssues has more than 50 issues.']);
  try {
    // An anonymous caller finds nothing and gets no error.
    const all = isKnown ? issues.search(jql, reconciled) : [];
    const at = typeof nextPageToken === 'string' ? Number(Buffer.from(nextPageToken, 'base64').toString()) : 0;
    if (!Number.isInteger(at)) return refused(400, ['The provided next page token is invalid.']);
    const size = Math.min(conditions.searchPage, typeof maxResults === 'number' ? maxResults : 50);
    const language = languageOf(request.headers, conditions.language);
    // A search without `fields` returns only ids.
    const wanted = Array.isArray(fields) ? fields.map(String) : ['id'];
    const asked = Array.isArray(properties) ? properties : [];
    const shown = all.slice(at, at + size).map((issue): JsonObject => {
      const found = Object.entries(issue.properties).filter(([key]) => asked.includes(key));
      const shownIssue = showIssue(issue, language, wanted);
      return asked.length === 0 ? shownIssue : Object.assign(shownIssue, { properties: Object.fromEntries(found) });
    });
    const isLast = at + size >= all.length;
    const next = Buffer.from(String(at + size)).toString('base64');
    return { status: 200, json: { issues: shown, isLast, ...(!isLast && { nextPageToken: next }) } };
  } catch (error) {
    return refused(400, [error instanceof Error ? error.message : 'Error in the JQL Query.']);
  }
}

/** The most issues that a search reconciles. */
const RECONCILED_MAX = 50;

function fromQuery({ searchParams }: URL): JsonObject {
  const list = (name: string): string[] | null => searchParams.get(name)?.split(',') ?? null;
  return {
    ...{ jql: searchParams.get('jql'), nextPageToken: searchParams.get('nextPageToken') },
    ...{ maxResults: Number(searchParams.get('maxResults') ?? 50) },
    ...{ fields: list('fields'), properties: list('properties'), reconcileIssues: list('reconcileIssues') },
  };
}
