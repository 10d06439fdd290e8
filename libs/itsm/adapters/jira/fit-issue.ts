import type { JsonObject } from '#core';
import { asObject, asText, quoted } from '../../adapter/platform-answer.js';
import type { AllowedValue, CreateMeta } from './create-meta.js';

/** An issue that the project takes, and what it had to do without. */
export interface FittedIssue {
  readonly body: JsonObject;
  /** Sentences for the operator. */
  readonly degraded: readonly string[];
  /**
   * Required fields of the project that have no value here, with their names. Jira would refuse an issue that lacks
   * one.
   */
  readonly missing: Readonly<Record<string, string>>;
}

/** Jira fills it with the account that asks. */
const FILLED_BY_JIRA = new Set(['reporter']);

const WITHOUT: Readonly<Record<string, string>> = {
  description: 'This project has no description field for this issue type; the issue has none.',
  labels: 'This project has no labels field for this issue type; the issue has none.',
  priority: 'This project has no priority field for this issue type; the issue has none.',
};

/** Always sent, and no matter of the screen. */
const OWN = new Set(['project', 'issuetype', 'summary', ...Object.keys(WITHOUT)]);

/** Leaves out what the project does not take, instead of finding out by an attempt: a refused one costs an issue number. */
export function fitIssue(body: JsonObject, { issueType, fields: listed }: CreateMeta): FittedIssue {
  const wanted = asObject(body['fields']) ?? {};
  const fields: JsonObject = { ...wanted, issuetype: { id: issueType.id } };
  const degraded: string[] = [];
  for (const [field, sentence] of Object.entries(WITHOUT)) {
    if (listed.has(field) || fields[field] === undefined) continue;
    delete fields[field];
    degraded.push(sentence);
  }
  for (const field of Object.keys(fields)) {
    if (OWN.has(field) || listed.has(field)) continue;
    delete fields[field];
    degraded.push(
      `The field “${quoted(field)}” is not on the create screen of this issue type; the issue has no value in it.`,
    );
  }
  const withoutPriority = fitPriority(fields, listed.get('priority')?.allowed ?? []);
  if (withoutPriority !== undefined) degraded.push(withoutPriority);
  const missing = [...listed]
    .filter(([id, { mustBeSent }]) => mustBeSent && fields[id] === undefined && !FILLED_BY_JIRA.has(id))
    .map(([id, { name }]) => [id, `The project requires “${name}”, which this connector does not fill.`]);
  return { body: { ...body, fields }, degraded, missing: Object.fromEntries(missing) };
}

/** Sends the project's own priority by its id, or none where the project has none of that name. */
function fitPriority(fields: JsonObject, allowed: readonly AllowedValue[]): string | undefined {
  const wanted = asText(asObject(fields['priority'])?.['name']);
  if (wanted === undefined) return undefined;
  const same = allowed.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (same !== undefined) {
    fields['priority'] = { id: same.id };
    return undefined;
  }
  delete fields['priority'];
  const names = quoted(allowed.map(({ name }) => name).join(', '));
  return `This project has no priority “${wanted}”, but ${names || 'none'}; Jira chose one.`;
}
