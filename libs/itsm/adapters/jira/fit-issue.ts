import type { JsonObject } from '#core';
import { asObject, asText, quoted } from '../../adapter/platform-answer.js';
import type { AllowedValue, CreateMeta } from './create-meta.js';

/** An issue that the project accepts, and the values that had to be left out. */
export interface FittedIssue {
  readonly body: JsonObject;
  /** One sentence for the operator for each value that was left out. */
  readonly degraded: readonly string[];
  /** Names of required fields for which there is no value, by field id. Jira would refuse the issue. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Fields that Jira sets itself: the reporter is the account of the request. */
const FILLED_BY_JIRA = new Set(['reporter']);

const WITHOUT: Readonly<Record<string, string>> = {
  description: 'This project has no description field for this issue type; the issue has none.',
  labels: 'This project has no labels field for this issue type; the issue has none.',
  priority: 'This project has no priority field for this issue type; the issue has none.',
};

/** Fields that are always sent, even if the create screen does not show them. */
const OWN = new Set(['project', 'issuetype', 'summary', ...Object.keys(WITHOUT)]);

/**
 * Removes values that the project does not accept. If they were sent, Jira would refuse the issue, and each refusal
 * would use up an issue number.
 */
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

/**
 * Replaces the name of the priority by its id in the project. Sends no priority if the project has none with that name.
 */
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
