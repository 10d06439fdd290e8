import type { Json, JsonObject } from '#core';
import { adfDefects } from './adf-defects.js';
import { halfCharacters } from './half-characters.js';
import type { JiraField, JiraIssueType, JiraProject } from './jira-project.js';

/** Jira's limits, in UTF-16 characters as Java counts them. */
const MAX_SUMMARY = 255;
const MAX_LABEL = 255;
const MAX_TEXT = 32_767;
const MAX_PROPERTY_KEY = 255;

/** The errors of an issue in Jira's format: by field, or for the whole issue. */
export interface CreateErrors {
  readonly errorMessages: string[];
  readonly errors: Record<string, string>;
}

/** The project and type of an issue, if it may be created. */
export type CreateVerdict =
  | { readonly project: JiraProject; readonly type: JiraIssueType; readonly refused?: never }
  /** `project`: the project that loses its next issue number by the refusal. */
  | { readonly refused: CreateErrors; readonly project?: JiraProject };

const PAYLOAD = 'Invalid request payload. Refer to the REST API documentation and try again.';

/** Validates the body of a create as strictly as Jira, and more strictly where Jira ignores unknown fields. */
export function judgeCreate(body: Json | undefined, projects: readonly JiraProject[]): CreateVerdict {
  if (!isObject(body) || !isObject(body['fields'])) return { refused: { errorMessages: [PAYLOAD], errors: {} } };
  const unknown = Object.keys(body).filter(name => !['fields', 'properties'].includes(name));
  if (unknown.length > 0) return { refused: { errorMessages: [PAYLOAD, ...unknown], errors: {} } };
  const halves = halfCharacters(body);
  if (halves.length > 0) return { refused: { errorMessages: [PAYLOAD, ...halves], errors: {} } };
  const { fields } = body;
  const project = projects.find(
    each => names(fields['project'], 'key', each.key) || names(fields['project'], 'id', each.id),
  );
  if (!project) return { refused: { errorMessages: [], errors: { project: 'valid project is required' } } };
  if (!project.mayCreate) {
    const message = 'You do not have permission to create issues in this project.';
    return { project, refused: { errorMessages: [], errors: { project: message } } };
  }
  const type = project.issueTypes.find(
    each => names(fields['issuetype'], 'id', each.id) || names(fields['issuetype'], 'name', each.name),
  );
  if (!type) return { project, refused: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } };
  const errors = { ...fieldErrors(fields, type), ...propertyErrors(body['properties']) };
  return Object.keys(errors).length > 0 ? { project, refused: { errorMessages: [], errors } } : { project, type };
}

function fieldErrors(fields: JsonObject, type: JiraIssueType): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const [id, value] of Object.entries(fields)) {
    const field = type.fields.find(({ fieldId }) => fieldId === id);
    const error = field
      ? CHECKS[id]?.(value, field)
      : `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`;
    if (error !== undefined) errors[id] = error;
  }
  for (const { fieldId, name, required, hasDefaultValue } of type.fields) {
    // The reporter is the calling account.
    if (!required || hasDefaultValue || fieldId === 'reporter' || fieldId in fields) continue;
    errors[fieldId] = `${name} is required.`;
  }
  if (type.subtask) errors['parent'] = 'Issue type is a sub-task but parent issue key or id not specified.';
  return errors;
}

const CHECKS: Readonly<Record<string, (value: Json, field: JiraField) => string | undefined>> = {
  summary: value => {
    if (typeof value !== 'string') return 'Operation value must be a string';
    if (value.trim() === '') return 'You must specify a summary of the issue.';
    if (/[\r\n]/.test(value)) return 'The summary is invalid because it contains newline characters.';
    return value.length > MAX_SUMMARY ? "Summary can't exceed 255 characters." : undefined;
  },
  description: value => {
    const [defect] = adfDefects(value);
    if (defect !== undefined) {
      return `Operation value must be an Atlassian Document (see the Atlassian Document Format): ${defect}`;
    }
    const tooLong = JSON.stringify(value).length > MAX_TEXT;
    return tooLong ? 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.' : undefined;
  },
  labels: value => {
    if (!Array.isArray(value) || !value.every(label => typeof label === 'string')) return 'Labels must be strings';
    const spaced = value.find(label => /\s/u.test(label));
    if (spaced !== undefined) return `The label '${spaced}' contains spaces which is invalid.`;
    return value.some(label => label === '' || label.length > MAX_LABEL)
      ? 'The label is empty or too long.'
      : undefined;
  },
  priority: (value, { allowedValues = [] }) =>
    allowedValues.some(({ id, name }) => names(value, 'id', id) || names(value, 'name', name))
      ? undefined
      : 'The priority selected is invalid.',
};

function propertyErrors(properties: Json | undefined): Record<string, string> {
  if (properties === undefined) return {};
  const ok =
    Array.isArray(properties) &&
    properties.every(
      property =>
        isObject(property) &&
        Object.keys(property).sort().join() === 'key,value' &&
        typeof property['key'] === 'string' &&
        property['key'].length <= MAX_PROPERTY_KEY &&
        JSON.stringify(property['value']).length <= MAX_TEXT + 1,
    );
  return ok ? {} : { properties: 'The property is invalid.' };
}

/** Whether a reference has exactly this field and value. */
function names(reference: Json | undefined, by: 'id' | 'key' | 'name', value: string): boolean {
  return isObject(reference) && Object.keys(reference).length === 1 && reference[by] === value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
