import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import { refused } from '../jira/conditions.js';
import type { Issues } from '../jira/issues.js';
import { screenOf, type Named, type Project } from '../jira/project.js';

/**
 * Maximum lengths of a summary, and of the text of a field or comment (`jira.text.field.character.limit`, 32,767 by
 * default).
 */
const SUMMARY_MAX = 255;
export const TEXT_MAX = 32_767;

/**
 * `POST /rest/api/2/issue` (https://developer.atlassian.com/server/jira/platform/rest/, "Create issue"). Texts are wiki
 * markup; people are named by `name`, never by an account id.
 */
export function createIssue(json: Json | undefined, project: Project, issues: Issues, base: string): PlatformAnswer {
  const body = asObject(json);
  const fields = asObject(body?.['fields']);
  if (!body || !fields) return refused(400, ['The request body is not an issue.']);
  const { project: reference, issuetype, priority } = fields;
  if (!refersTo(reference, project.id, project.key, 'key')) return refused(400, [], { project: 'project is required' });
  const type = named(issuetype, project.types);
  if (!type) return refused(400, [], { issuetype: 'issue type is required' });
  const chosen = named(priority, project.priorities);
  const errors = fieldErrors(fields, project, chosen);
  if (Object.keys(errors).length > 0) return refused(400, [], errors);
  const { id, key } = issues.create(project, type, chosen ?? project.priorities[2], body);
  return { status: 201, json: { id, key, self: `${base}/rest/api/2/issue/${id}` } };
}

/** The errors of an issue's fields, by field. */
export function fieldErrors(fields: JsonObject, project: Project, priority: Named | undefined): Record<string, string> {
  const errors: Record<string, string> = {};
  const screen = screenOf(project);
  for (const id of Object.keys(fields)) {
    if (!screen.has(id)) errors[id] = `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`;
  }
  for (const [id, { name, required }] of screen) {
    if (required && !(id in fields) && id !== 'reporter') errors[id] = `${name} is required.`;
  }
  return { ...errors, ...textErrors(fields), ...listErrors(fields, priority) };
}

function textErrors({ summary, description }: JsonObject): Record<string, string> {
  const isLong = typeof description === 'string' && description.length > TEXT_MAX;
  return {
    ...(summary !== undefined &&
      (typeof summary !== 'string' || summary.trim() === '') && {
        summary: 'You must specify a summary of the issue.',
      }),
    ...(typeof summary === 'string' &&
      summary.length > SUMMARY_MAX && {
        summary: `Summary must be less than ${SUMMARY_MAX} characters.`,
      }),
    ...(typeof summary === 'string' &&
      /[\r\n]/.test(summary) && {
        summary: 'The summary is invalid because it contains newline characters.',
      }),
    // Texts must be strings: Jira Data Center does not support the document format of Jira Cloud.
    ...(description !== undefined &&
      description !== null &&
      typeof description !== 'string' && {
        description: 'Operation value must be a string',
      }),
    ...(isLong && { description: TOO_LONG }),
  };
}

function listErrors(
  { labels, priority, reporter, assignee }: JsonObject,
  chosen: Named | undefined,
): Record<string, string> {
  const texts = Array.isArray(labels) ? labels.filter(label => typeof label === 'string') : [];
  const spaced = texts.find(label => /\s/.test(label));
  return {
    ...(spaced !== undefined && { labels: `The label '${spaced}' contains spaces which is invalid.` }),
    ...(priority !== undefined && !chosen && { priority: 'The priority selected is invalid.' }),
    ...(reporter !== undefined &&
      typeof asObject(reporter)?.['name'] !== 'string' && {
        reporter: 'The reporter specified is not a user.',
      }),
    ...(assignee !== undefined &&
      typeof asObject(assignee)?.['name'] !== 'string' && {
        assignee: 'User does not exist.',
      }),
  };
}

export function named(reference: Json | undefined, all: readonly Named[]): Named | undefined {
  return all.find(({ id, name }) => refersTo(reference, id, name, 'name'));
}

function refersTo(reference: Json | undefined, id: string, name: string, by: 'key' | 'name'): boolean {
  const object = asObject(reference);
  return object?.['id'] === id || object?.[by] === name;
}

export const TOO_LONG = 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.';
