import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import { halfCharacters } from '../../support/itsm/half-characters.js';
import { refused } from './conditions.js';
import { propertyErrors, valueErrors } from './field-rules.js';
import type { Issues } from './issues.js';
import { screenOf, type IssueType, type Named, type Project } from './project.js';
import type { Call } from './routes.js';

/** The parts of a site that creates use. */
export interface CreateSite {
  readonly projects: readonly Project[];
  readonly issues: Issues;
  readonly mayCreate: (project: Project) => boolean;
}

const PAYLOAD = 'Invalid request payload. Refer to the REST API documentation and try again.';

/**
 * `POST /rest/api/3/issue`. The name of a type or priority is looked up in the whole site, in English. A name in
 * another language is therefore unknown. If two types have the same name, the first one is used (go-jira #437,
 * sooperset/mcp-atlassian #1170). An id is unambiguous. A refused issue of a known project uses up an issue number.
 */
export function createIssue({ isKnown, request }: Call, site: CreateSite): PlatformAnswer {
  const { projects, issues } = site;
  const body = asObject(request.json);
  const fields = asObject(body?.['fields']);
  if (!body || !fields) return refused(400, [PAYLOAD]);
  const halves = halfCharacters(body);
  if (halves.length > 0) return refused(400, [PAYLOAD, ...halves]);
  const project = projects.find(
    ({ id, key }) => refers(fields['project'], id, 'id') || refers(fields['project'], key, 'key'),
  );
  if (!project || !isKnown) return refused(400, [], { project: 'valid project is required' });
  const refusal = refusalOf(body, fields, project, site);
  if (!('type' in refusal)) {
    issues.burntNumbers += 1;
    return refusal;
  }
  const { id, key } = issues.create(project, refusal.type, refusal.priority, body);
  return { status: 201, json: { id, key, self: new URL(`/rest/api/3/issue/${id}`, request.url).href } };
}

/** The refusal of an issue, or its type and priority. */
function refusalOf(
  body: JsonObject,
  fields: JsonObject,
  project: Project,
  { projects, mayCreate }: CreateSite,
): PlatformAnswer | { readonly type: IssueType; readonly priority: Named | undefined } {
  if (!mayCreate(project)) {
    return refused(400, [], { project: 'You do not have permission to create issues in this project.' });
  }
  const type = named(
    fields['issuetype'],
    projects.flatMap(each => each.types),
  );
  if (!type || !project.types.some(({ id }) => id === type.id)) {
    return refused(400, [], { issuetype: 'Specify a valid issue type' });
  }
  const priority = named(
    fields['priority'],
    projects.flatMap(each => each.priorities),
  );
  const { messages, errors } = valueErrors(fields);
  const all = { ...errorsIn(fields, project, priority), ...errors, ...propertyErrors(body['properties']) };
  if (type.subtask) all['parent'] = 'Issue type is a sub-task but parent issue key or id not specified.';
  const isRefused = messages.length > 0 || Object.keys(all).length > 0;
  return isRefused ? refused(400, messages, all) : { type, priority };
}

function errorsIn(fields: JsonObject, project: Project, priority: Named | undefined): Record<string, string> {
  const errors: Record<string, string> = {};
  const screen = screenOf(project);
  for (const id of Object.keys(fields)) {
    if (!screen.has(id)) errors[id] = `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`;
  }
  for (const [id, { name, required, hasDefault }] of screen) {
    // The request may omit the reporter: it is the calling account.
    if (required && !hasDefault && !(id in fields) && id !== 'reporter') errors[id] = `${name} is required.`;
  }
  if ('priority' in fields && screen.has('priority') && !project.priorities.some(({ id }) => id === priority?.id)) {
    errors['priority'] = 'The priority selected is invalid.';
  }
  return errors;
}

function named<N extends Named>(reference: Json | undefined, all: readonly N[]): N | undefined {
  return all.find(({ id, name }) => refers(reference, id, 'id') || refers(reference, name, 'name'));
}

function refers(reference: Json | undefined, value: string, by: string): boolean {
  return asObject(reference)?.[by] === value;
}
