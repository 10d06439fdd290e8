import type { Json, JsonObject } from '#core';
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
  updatedAt: Date;
  readonly comments: LivingIssue['comments'];
}

/** The issues of a site. */
export class Issues {
  readonly all: Issue[] = [];
  /** The clock of the site. */
  now = (): Date => new Date();

  create(project: Project, type: Named, priority: Named | undefined, body: JsonObject): Issue {
    const number = this.all.length + 1;
    const properties = (Array.isArray(body['properties']) ? body['properties'] : []) as { key: string; value: Json }[];
    const issue: Issue = {
      ...{ id: String(20_000 + number), key: `${project.key}-${number}`, formerKeys: [], type, priority },
      fields: body['fields'] as JsonObject,
      properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])),
      ...{ status: { name: 'To Do', category: 'new' }, resolution: null, updatedAt: this.now(), comments: [] },
    };
    this.all.push(issue);
    return issue;
  }

  find(idOrKey: string): Issue | undefined {
    const isIt = ({ id, key, formerKeys }: Issue): boolean => [id, key, ...formerKeys].includes(idOrKey);
    return this.all.find(isIt);
  }

  /**
   * Moves an issue to another project: its key changes, its id stays, and the previous key still finds it
   * (https://confluence.atlassian.com/cloudkb/migration-of-jira-s-historical-keys-for-issues-and-projects-1027124328.html).
   */
  moveTo(projectKey: string, issueKey: string): Issue {
    const issue = this.find(issueKey);
    if (!issue) throw new Error(`There is no issue ${issueKey}.`);
    issue.formerKeys.push(issue.key);
    issue.key = `${projectKey}-${this.all.length + issue.formerKeys.length}`;
    issue.updatedAt = this.now();
    return issue;
  }

  /**
   * The found issues, newest first.
   * @throws Error with a message of Jira
   */
  search(jql: string): Issue[] {
    const test = jqlTest(jql);
    const found = this.all.filter(({ key, fields }) => {
      const labels = (Array.isArray(fields['labels']) ? fields['labels'] : []).map(String);
      return test({ key, labels, text: JSON.stringify([fields['summary'], fields['description']]) });
    });
    return found.reverse();
  }
}

/** The issue in the format of answers and webhooks. */
export function showIssue(issue: Issue, language: Language, fields: readonly string[]): JsonObject {
  const { status, resolution, priority, type } = issue;
  const named = ({ id, name }: Named): JsonObject => ({ id, name: shownName(name, language) });
  const all: JsonObject = {
    ...issue.fields,
    issuetype: named(type),
    priority: priority ? named(priority) : null,
    status: { name: shownName(status.name, language), statusCategory: { id: 3, key: status.category, name: '' } },
    resolution: resolution === null ? null : named({ id: '10001', name: resolution }),
    updated: issue.updatedAt.toISOString().replace('Z', '+0000'),
  };
  const isAll = fields.length === 0 || fields.includes('*all');
  const shown = isAll ? all : Object.fromEntries(fields.map(name => [name, all[name] ?? null]));
  return { id: issue.id, key: issue.key, fields: shown };
}
