import type { Json, JsonObject } from '#core';
import { adfTexts } from '../../support/itsm/adf-texts.js';
import type { Language } from './conditions.js';
import { jqlTest } from './jql.js';
import type { LivingIssue } from './life.js';
import { shownName } from './names.js';
import type { Named, Project } from './project.js';

/** An issue of the site. */
export interface Issue {
  readonly id: string;
  key: string;
  /** Keys of the issue before it was moved. They still find the issue. */
  readonly formerKeys: string[];
  readonly type: Named;
  priority: Named | undefined;
  readonly fields: JsonObject;
  readonly properties: Readonly<Record<string, Json>>;
  status: LivingIssue['status'];
  resolution: string | null;
  readonly createdAt: Date;
  updatedAt: Date;
  /** The time from which searches find the issue. */
  readonly foundFrom: Date;
  /** The number of searches that have missed the issue. */
  missed: number;
  readonly comments: LivingIssue['comments'];
}

/** A status that a person sets. */
export interface Move {
  readonly category: LivingIssue['status']['category'];
  /** The name of the status. Default: the category. */
  readonly name?: string;
  readonly resolution?: string | null;
  /** The time of the change. Default: now. */
  readonly at?: Date;
}

/** The issues of a site. */
export class Issues {
  readonly all: Issue[] = [];
  /** Number of issue numbers that refused creates have used up. */
  burntNumbers = 0;
  /** The clock of the site. */
  now = (): Date => new Date();
  /** Milliseconds from the creation of an issue until searches find it. */
  indexLagMs = (): number => 0;
  /** The number of first searches that do not find an issue, however late they come. */
  missedSearches = (): number => 0;
  /** Called after somebody has set the status of an issue. */
  moved = (_issue: Issue): void => undefined;

  create(project: Project, type: Named, priority: Named | undefined, body: JsonObject): Issue {
    const number = this.all.length + this.burntNumbers + 1;
    const now = this.now();
    const properties = (Array.isArray(body['properties']) ? body['properties'] : []) as { key: string; value: Json }[];
    const issue: Issue = {
      ...{ id: String(20_000 + number), key: `${project.key}-${number}`, formerKeys: [], type, priority },
      fields: body['fields'] as JsonObject,
      properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])),
      ...{ status: { name: 'To Do', category: 'new' }, resolution: null, comments: [], createdAt: now, updatedAt: now },
      ...{ foundFrom: new Date(now.getTime() + this.indexLagMs()), missed: 0 },
    };
    this.all.push(issue);
    return issue;
  }

  find(idOrKey: string): Issue | undefined {
    const isIt = ({ id, key, formerKeys }: Issue): boolean => [id, key, ...formerKeys].includes(idOrKey);
    return this.all.find(isIt);
  }

  /** Sets the status of an issue, as a person does on the board. */
  move(issueKey: string, { category, name = category, resolution = null, at = this.now() }: Move): Issue {
    const issue = this.known(issueKey);
    Object.assign(issue, { status: { category, name }, resolution, updatedAt: at });
    this.moved(issue);
    return issue;
  }

  /**
   * Moves an issue to another project: its key changes, its id stays, and the previous key still finds it
   * (https://confluence.atlassian.com/cloudkb/migration-of-jira-s-historical-keys-for-issues-and-projects-1027124328.html).
   */
  moveTo(projectKey: string, issueKey: string): Issue {
    const issue = this.known(issueKey);
    issue.formerKeys.push(issue.key);
    issue.key = `${projectKey}-${this.all.length + issue.formerKeys.length}`;
    issue.updatedAt = this.now();
    return issue;
  }

  /**
   * The found issues, newest first. The index of searches lags behind, except for reconciled issues
   * (https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile).
   *
   * @throws Error with a message of Jira
   */
  search(jql: string, reconciled: readonly string[] = []): Issue[] {
    const test = jqlTest(jql);
    const now = this.now();
    const found = this.all.filter(issue => {
      const { key, fields } = issue;
      const labels = (Array.isArray(fields['labels']) ? fields['labels'] : []).map(String);
      const texts = { summary: textsIn(fields['summary']), description: textsIn(fields['description']) };
      return test({ key, labels, ...texts }) && (reconciled.includes(issue.id) || this.isIndexed(issue, now));
    });
    return found.reverse();
  }

  private known(issueKey: string): Issue {
    const issue = this.find(issueKey);
    if (!issue) throw new Error(`There is no issue ${issueKey}.`);
    return issue;
  }

  private isIndexed(issue: Issue, now: Date): boolean {
    if (issue.foundFrom <= now && issue.missed >= this.missedSearches()) return true;
    issue.missed += 1;
    return false;
  }
}

/** The texts of a field, which is a plain text or a document. */
function textsIn(value: Json = ''): string {
  return typeof value === 'string' ? value : adfTexts(value).join('\n');
}

const CATEGORY_IDS = { undefined: 1, new: 2, indeterminate: 4, done: 3 };

/** The issue in the format of answers and webhooks. */
export function showIssue(issue: Issue, language: Language, fields: readonly string[]): JsonObject {
  const { status, resolution, priority, type } = issue;
  const named = ({ id, name }: Named): JsonObject => ({ id, name: shownName(name, language) });
  const all: JsonObject = {
    ...issue.fields,
    issuetype: named(type),
    priority: priority ? named(priority) : null,
    status: {
      name: shownName(status.name, language),
      statusCategory: { id: CATEGORY_IDS[status.category], key: status.category, name: '' },
    },
    resolution: resolution === null ? null : named({ id: '10001', name: resolution }),
    updated: issue.updatedAt.toISOString().replace('Z', '+0000'),
  };
  const isAll = fields.length === 0 || fields.includes('*all');
  const shown = isAll
    ? all
    : Object.fromEntries(fields.map(name => [name, all[name] ?? (name === 'labels' ? [] : null)]));
  return { id: issue.id, key: issue.key, fields: shown };
}
