import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { refused } from '../jira/conditions.js';
import { showIssue, type Issues } from '../jira/issues.js';
import type { DataCenterConditions } from './conditions.js';

const PAGE = 50;
const KEY = /\b(?:issue)?key\s*=\s*"?([A-Z][A-Z0-9]*-\d+)/i;

/**
 * `/rest/api/2/search`: pages by `startAt` and `maxResults`, with the total. An empty query finds everything
 * (https://developer.atlassian.com/server/jira/platform/rest/, "Search"). A query that names a missing issue is
 * refused, unless `validateQuery` is false
 * (https://support.atlassian.com/jira/kb/how-to-handle-http-400-bad-request-errors-on-jira-search-rest-api-endpoint).
 */
export function searchIssues(
  { jql, startAt, maxResults, fields, validateQuery }: JsonObject,
  maySee: boolean,
  issues: Issues,
  conditions: DataCenterConditions,
): PlatformAnswer {
  const query = typeof jql === 'string' ? jql : '';
  const from = numberIn(startAt, 0);
  const size = Math.min(numberIn(maxResults, PAGE), conditions.searchPage);
  try {
    const key = KEY.exec(query)?.[1];
    const isMissing = key !== undefined && !(maySee && issues.find(key));
    if (isMissing && textOf(validateQuery ?? true) !== 'false') {
      return refused(400, [`An issue with key '${key}' does not exist for field 'key'.`]);
    }
    const found = query.trim() === '' ? issues.all.toReversed() : issues.search(query);
    // An account that may not see the project finds nothing and gets no error.
    const visible = maySee ? found : [];
    const names = Array.isArray(fields) ? fields.map(textOf) : [];
    const shown = visible.slice(from, from + size).map(issue => showIssue(issue, 'en', names));
    return { status: 200, json: { startAt: from, maxResults: size, total: visible.length, issues: shown } };
  } catch (error) {
    return refused(400, [error instanceof Error ? error.message : 'Error in the JQL Query.']);
  }
}

function numberIn(value: Json | undefined, otherwise: number): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : otherwise;
  return Number.isInteger(number) && number >= 0 ? number : otherwise;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
