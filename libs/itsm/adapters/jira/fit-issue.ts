import type { JsonObject } from '#core';
import { asObject, asText, quoted } from '../../adapter/platform-answer.js';
import type { CreateMeta } from './create-meta.js';

/** An issue that the project takes, and what it had to do without. */
export interface FittedIssue {
  readonly body: JsonObject;
  /** Sentences for the operator. */
  readonly degraded: readonly string[];
  /** By field: what the project asks for and nobody here knows. With any, Jira would refuse the issue. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Jira fills it with the account that asks. */
const FILLED_BY_JIRA = new Set(['reporter']);

const WITHOUT: Readonly<Record<string, string>> = {
  description: 'This project takes no description for this issue type; the issue has none.',
  labels: 'This project takes no labels for this issue type; the issue has none.',
  priority: 'This project takes no priority for this issue type; the issue has none.',
};

/** Leaves out what the project does not take, instead of finding out by an attempt: a refused one costs an issue number. */
export function fitIssue(body: JsonObject, { issueType, fields: listed }: CreateMeta): FittedIssue {
  const wanted = asObject(body['fields']) ?? {};
  const fields: JsonObject = { ...wanted, issuetype: sameType(asObject(wanted['issuetype']), issueType) };
  const degraded: string[] = [];
  for (const [field, sentence] of Object.entries(WITHOUT)) {
    if (listed.has(field) || fields[field] === undefined) continue;
    delete fields[field];
    degraded.push(sentence);
  }
  const withoutPriority = fitPriority(fields, listed.get('priority')?.allowedNames ?? []);
  if (withoutPriority !== undefined) degraded.push(withoutPriority);
  const missing = [...listed]
    .filter(([id, { mustBeSent }]) => mustBeSent && fields[id] === undefined && !FILLED_BY_JIRA.has(id))
    .map(([id, { name }]) => [id, `The project requires “${name}”, which tickets from here do not have.`]);
  return { body: { ...body, fields }, degraded, missing: Object.fromEntries(missing) };
}

/** As it is, where it names the type exactly; else by id. */
function sameType(type: JsonObject | undefined, { id, name }: CreateMeta['issueType']): JsonObject {
  return type && (type['id'] === id || type['name'] === name) ? type : { id };
}

/** Takes the project's spelling of the priority, or takes it away where the project has none of that name. */
function fitPriority(fields: JsonObject, allowed: readonly string[]): string | undefined {
  const wanted = asText(asObject(fields['priority'])?.['name']);
  if (wanted === undefined) return undefined;
  const same = allowed.find(name => name.toLowerCase() === wanted.toLowerCase());
  if (same !== undefined) {
    fields['priority'] = { name: same };
    return undefined;
  }
  delete fields['priority'];
  return `This project has no priority “${wanted}”, but ${quoted(allowed.join(', ')) || 'none'}; Jira chose one.`;
}
