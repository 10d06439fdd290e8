import type { Json, JsonObject } from '#core';
import { asObject, asText, objectIn, quoted } from '../../adapter/platform-answer.js';
import { askJira, type JiraRequest } from './jira-request.js';
import {
  hidesProject,
  isUnknownUser,
  JiraFailureError,
  failureWithoutIssue,
  type JiraFailure,
} from './jira-failure.js';
import type { JiraSite } from './jira-site.js';

/** Maximum page size that Jira allows. */
const PAGE_SIZE = 200;

/**
 * Maximum number of pages, many more than real projects need for their issue types and fields. An endless list must not
 * block a ticket forever.
 */
const MAX_PAGES = 10;

/** Time limit for all requests together, in milliseconds. A single request may take half of it. */
const TIMEOUT_MS = 10_000;

/** The fields that the project allows for issues of the connector's type. */
export interface CreateMeta {
  readonly issueType: { readonly id: string; readonly name: string };
  /** Fields by id, such as `priority` or `customfield_10050`. */
  readonly fields: ReadonlyMap<string, CreateField>;
}

export interface CreateField {
  readonly name: string;
  /** Whether the project requires the field, and the field has no default value. */
  readonly mustBeSent: boolean;
  /** Allowed values with their English names; empty if any value is allowed. */
  readonly allowed: readonly AllowedValue[];
}

/** An allowed value of a field. Its id is unique. Another project's value may have the same name. */
export interface AllowedValue {
  readonly id: string;
  readonly name: string;
}

/** Reads the create metadata of the connector's project. @throws JiraFailureError, AdapterHttpError */
export async function readCreateMeta(site: JiraSite): Promise<CreateMeta> {
  const { clock, settings, lists } = site;
  const pages = new MetaPages(site, clock.now().getTime() + TIMEOUT_MS);
  const project = `/issue/createmeta/${encodeURIComponent(settings.project_key)}/issuetypes`;
  const english = await pages.all(project, lists.types);
  // The setting may contain the name of the type in the language of the account.
  const issueType = choose(english, site) ?? choose(await pages.all(project, lists.types, 'of the account'), site);
  if (!issueType) throw new JiraFailureError(unknownType(english, site));
  const fields = await pages.all(`${project}/${encodeURIComponent(issueType.id)}`, lists.fields);
  return { issueType, fields: new Map(fields.flatMap(toField)) };
}

type ListName = 'issueTypes' | 'fields' | 'values';

class MetaPages {
  constructor(
    private readonly site: JiraSite,
    private readonly endsAt: number,
  ) {}

  async all(path: string, list: ListName, names: JiraRequest['names'] = 'english'): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await this.page(path, found.length, names);
      const entries = answer[list];
      if (!Array.isArray(entries)) throw new JiraFailureError(NOT_JIRA);
      found.push(...objectsIn(entries));
      const total = answer['total'];
      if (entries.length === 0 || typeof total !== 'number' || found.length >= total) break;
    }
    return found;
  }

  private async page(path: string, startAt: number, names: JiraRequest['names']): Promise<JsonObject> {
    const { clock } = this.site;
    const left = this.endsAt - clock.now().getTime();
    if (left <= 0)
      throw new JiraFailureError({ kind: 'retryable', message: 'Jira did not describe the project in time.' });
    const answer = await askJira(this.site, {
      ...{ path, names },
      query: { startAt: String(startAt), maxResults: String(PAGE_SIZE) },
      timeoutMs: Math.min(TIMEOUT_MS / 2, left),
    });
    const json = objectIn(answer);
    if (answer.status === 200 && json && !isUnknownUser(answer)) return json;
    const failure = failureWithoutIssue(answer, this.site);
    throw new JiraFailureError(hidesProject(answer, failure) ? unknownProject(this.site) : failure);
  }
}

function objectsIn(list: readonly Json[]): JsonObject[] {
  return list.map(asObject).filter(entry => entry !== undefined);
}

const NOT_JIRA: JiraFailure = {
  kind: 'rejected',
  code: 'config',
  message: 'The server does not respond like Jira: check the addresses of the connector.',
};

/** The error for a project that does not exist, or that Jira hides from this account. */
export function unknownProject({ settings, words }: JiraSite): JiraFailure {
  const { project_key } = settings;
  const message = `Jira has no project ${project_key}, or the account may not create issues in it.${words.hiddenProject}`;
  return { kind: 'rejected', code: 'config', message, fields: { project: message } };
}

/** Finds the type by id, by exact name, or by name in another case, in this order. */
function choose(types: readonly JsonObject[], site: JiraSite): CreateMeta['issueType'] | undefined {
  // Jira shows no types to an account that may not create issues in the project.
  if (types.length === 0) throw new JiraFailureError(unknownProject(site));
  const wanted = site.settings.issue_type.trim();
  const usable = usableIn(types);
  return (
    usable.find(({ id }) => id === wanted) ??
    usable.find(({ name }) => name === wanted) ??
    usable.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  );
}

function usableIn(types: readonly JsonObject[]): AllowedValue[] {
  return types.filter(type => type['subtask'] !== true).flatMap(toValue);
}

function unknownType(types: readonly JsonObject[], { settings: { project_key, issue_type } }: JiraSite): JiraFailure {
  const names = quoted(
    usableIn(types)
      .map(({ name }) => name)
      .join(', '),
  );
  const message = `Project ${project_key} has no issue type “${issue_type.trim()}”; it has ${names}.`;
  return { kind: 'rejected', code: 'config', message, fields: { issuetype: message } };
}

function toValue(value: Json): AllowedValue[] {
  const [id, name] = [asText(asObject(value)?.['id']), asText(asObject(value)?.['name'])];
  return id === undefined || name === undefined ? [] : [{ id, name }];
}

function toField(field: JsonObject): [string, CreateField][] {
  const id = asText(field['fieldId']);
  if (id === undefined) return [];
  const allowed = Array.isArray(field['allowedValues']) ? field['allowedValues'] : [];
  return [
    [
      id,
      {
        name: quoted(asText(field['name']) ?? id),
        mustBeSent: field['required'] === true && field['hasDefaultValue'] !== true,
        allowed: allowed.flatMap(toValue),
      },
    ],
  ];
}
