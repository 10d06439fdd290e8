import type { Json, JsonObject } from '#core';
import type { LivingIssue } from '../../emulators/jira/life.js';
import { judgeCreate, type CreateErrors } from './jira-create.js';
import { matcherOf } from './jira-jql.js';
import type { JiraProject } from './jira-project.js';

/** An issue with its sent fields and its status. */
export interface JiraIssue {
  readonly id: string;
  key: string;
  /** Keys that it had before it was moved. They still find it. */
  readonly formerKeys: string[];
  /** The complete body of the create. */
  readonly sent: { readonly fields: JsonObject; readonly properties?: { key: string; value: Json }[] };
  /** The time from which searches find the issue, in milliseconds since 1970. */
  readonly foundFrom: number;
  /** The number of searches that have missed the issue. */
  missed: number;
  status: { name: string; category: JiraCategory };
  resolution: string | null;
  updatedAt: Date;
  readonly comments: LivingIssue['comments'];
}

/** Keys of status categories. */
export type JiraCategory = 'undefined' | 'new' | 'indeterminate' | 'done';

const CATEGORY_NAMES = { undefined: 'No Category', new: 'To Do', indeterminate: 'In Progress', done: 'Done' };
const CATEGORY_IDS = { undefined: 1, new: 2, indeterminate: 4, done: 3 };

/** The issues of an emulated site. */
export class JiraIssues {
  readonly all: JiraIssue[] = [];
  /** Number of issue numbers that have no issue, because the create was refused. */
  burntNumbers = 0;
  /** The most issues on a page of a search, regardless of the request. */
  searchPage = 100;

  constructor(
    private readonly projects: () => readonly JiraProject[],
    private readonly siteUrl: () => string,
    private readonly searchDelayMs: () => number,
    private readonly missedSearches: number,
  ) {}

  create(body: Json | undefined): { refused: CreateErrors } | { created: JsonObject } {
    const verdict = judgeCreate(body, this.projects());
    if (verdict.refused) {
      if (verdict.project) this.burntNumbers += 1;
      return { refused: verdict.refused };
    }
    const number = this.all.length + this.burntNumbers + 1;
    const issue: JiraIssue = {
      id: String(20_000 + number),
      key: `${verdict.project.key}-${number}`,
      formerKeys: [],
      // The cast is safe, because the body has been validated.
      sent: body as unknown as JiraIssue['sent'],
      foundFrom: Date.now() + this.searchDelayMs(),
      missed: 0,
      status: { name: 'To Do', category: 'new' },
      resolution: null,
      updatedAt: new Date(),
      comments: [],
    };
    this.all.push(issue);
    return { created: { id: issue.id, key: issue.key, self: this.selfOf(issue) } };
  }

  /**
   * Newest first.
   *
   * @throws Error with a message of Jira if the query is invalid
   */
  search(jql: string): JiraIssue[] {
    const matches = matcherOf(jql);
    const now = Date.now();
    return this.all.filter(issue => matches(issue) && this.isIndexed(issue, now)).reverse();
  }

  find(idOrKey: string): JiraIssue | undefined {
    const asked = idOrKey.toUpperCase();
    return this.all.find(({ id, key, formerKeys }) => id === idOrKey || [key, ...formerKeys].includes(asked));
  }

  /** The issue in the format of answers and webhooks, with only these fields and properties. */
  show(issue: JiraIssue, fields: readonly string[], properties: readonly string[] = []): JsonObject {
    const all: JsonObject = { ...issue.sent.fields, ...this.stateOf(issue), ...this.priorityOf(issue) };
    const had = issue.sent.properties ?? [];
    return {
      id: issue.id,
      key: issue.key,
      self: this.selfOf(issue),
      fields: Object.fromEntries(fields.map(name => [name, all[name] ?? (name === 'labels' ? [] : null)])),
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          had.filter(({ key }) => properties.includes(key)).map(({ key, value }) => [key, value]),
        ),
      }),
    };
  }

  /** Whether the index contains the issue at the time of a search. */
  private isIndexed(issue: JiraIssue, now: number): boolean {
    if (issue.foundFrom <= now && issue.missed >= this.missedSearches) return true;
    issue.missed += 1;
    return false;
  }

  /** The priority with its name, even if the request named only its id. */
  private priorityOf({ sent }: JiraIssue): JsonObject {
    const given = sent.fields['priority'];
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
    const fields = this.projects().flatMap(({ issueTypes }) => issueTypes.flatMap(type => type.fields));
    const values = fields.find(({ fieldId }) => fieldId === 'priority')?.allowedValues ?? [];
    const value = values.find(({ id, name }) => id === given['id'] || name === given['name']);
    return value === undefined ? {} : { priority: { ...value } };
  }

  private stateOf({ status, resolution, updatedAt }: JiraIssue): JsonObject {
    const { category } = status;
    return {
      status: {
        name: status.name,
        statusCategory: { id: CATEGORY_IDS[category], key: category, name: CATEGORY_NAMES[category] },
      },
      resolution: resolution === null ? null : { id: '10000', name: resolution },
      // A time in Jira's format, with its time zone.
      updated: updatedAt.toISOString().replace('Z', '+0000'),
    };
  }

  private selfOf({ id }: { id: string }): string {
    return `${this.siteUrl()}/rest/api/3/issue/${id}`;
  }
}
