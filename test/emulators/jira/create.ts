import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import { refused } from './conditions.js';
import type { Issues } from './issues.js';
import { screenOf, type Named, type Project } from './project.js';
import type { Call } from './site.js';

/**
 * `POST /rest/api/3/issue`. The name of a type or priority is looked up in the whole site, in English. A name in
 * another language is therefore unknown. If two types have the same name, the first one is used (go-jira #437,
 * sooperset/mcp-atlassian #1170). An id is unambiguous.
 */
export function createIssue({ isKnown, request }: Call, projects: readonly Project[], issues: Issues): PlatformAnswer {
  const body = asObject(request.json);
  const fields = asObject(body?.['fields']);
  if (!body || !fields) return refused(400, ['Invalid request payload.']);
  const project = projects.find(
    ({ id, key }) => refers(fields['project'], id, 'id') || refers(fields['project'], key, 'key'),
  );
  if (!project || !isKnown) return refused(400, [], { project: 'valid project is required' });
  const type = named(
    fields['issuetype'],
    projects.flatMap(each => each.types),
  );
  if (!type || !project.types.includes(type)) return refused(400, [], { issuetype: 'Specify a valid issue type' });
  const priority = named(
    fields['priority'],
    projects.flatMap(each => each.priorities),
  );
  const errors = errorsIn(fields, project, priority);
  if (Object.keys(errors).length > 0) return refused(400, [], errors);
  const { id, key } = issues.create(project, type, priority, body);
  return { status: 201, json: { id, key, self: new URL(`/rest/api/3/issue/${id}`, request.url).href } };
}

function errorsIn(fields: JsonObject, project: Project, priority: Named | undefined): Record<string, string> {
  const errors: Record<string, string> = {};
  const screen = screenOf(project);
  for (const id of Object.keys(fields)) {
    if (!screen.has(id)) errors[id] = `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`;
  }
  for (const [id, { name, required }] of screen) {
    // The request may omit the reporter: it is the calling account.
    if (required && !(id in fields) && id !== 'reporter') errors[id] = `${name} is required.`;
  }
  if ('priority' in fields && !project.priorities.some(({ id }) => id === priority?.id)) {
    errors['priority'] = 'The priority selected is invalid.';
  }
  return errors;
}

function named(reference: Json | undefined, all: readonly Named[]): Named | undefined {
  return all.find(({ id, name }) => refers(reference, id, 'id') || refers(reference, name, 'name'));
}

function refers(reference: Json | undefined, value: string, by: string): boolean {
  return asObject(reference)?.[by] === value;
}
