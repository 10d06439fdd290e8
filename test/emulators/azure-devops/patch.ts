import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { AzureConditions } from './conditions.js';
import { failure, ruleError, ruleFailure, unsupported, type RuleError } from './errors.js';
import type { WorkItem } from './items.js';
import { FIELDS, READ_ONLY, type Workflow } from './process.js';

/** Maximum number of tags of an item (docs, "Work tracking, process, and project limits"). */
const TAGS_MAX = 100;

const OPS = new Set(['add', 'replace', 'remove', 'test']);

/** The fields of an item after a patch, and the comment that the patch adds. */
export interface Patched {
  readonly fields: Record<string, Json>;
  readonly comment: string | undefined;
}

/** The item before the patch. A new item has neither revision nor fields. */
export interface Before {
  readonly item?: WorkItem;
  readonly project: string;
  readonly workflow: Workflow;
}

/**
 * Applies a JSON Patch document to a work item, completely or not at all
 * (https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update). `add` merges tags with the existing ones,
 * `replace` replaces them.
 */
export function applyPatch(
  document: Json | undefined,
  before: Before,
  conditions: AzureConditions,
): Patched | PlatformAnswer {
  if (!Array.isArray(document) || document.length === 0) return NO_PATCH;
  const fields: Record<string, Json> = { ...before.item?.fields };
  let comment: string | undefined;
  for (const operation of document.map(asObject)) {
    const { op, path, value = null } = operation ?? {};
    if (typeof op !== 'string' || !OPS.has(op) || typeof path !== 'string') return NO_PATCH;
    if (op === 'test') {
      const failed = testFailure(path, value, before.item);
      if (failed) return failed;
      continue;
    }
    if (path === '/relations/-') continue;
    const name = /^\/fields\/(.+)$/.exec(path)?.[1];
    if (name === undefined) return NO_PATCH;
    const label = READ_ONLY[name];
    if (label !== undefined) return ruleFailure([ruleError(name, label, 'ReadOnly')]);
    if (!(name in FIELDS) && !(name in conditions.required)) return noField(name);
    if (name === 'System.History') comment = textOf(value);
    else if (op === 'remove' || textOf(value) === '') delete fields[name];
    else if (name === 'System.Tags') fields[name] = tagsOf(op === 'add' ? fields[name] : null, value);
    else fields[name] = value;
  }
  const wrongTree = ['System.AreaPath', 'System.IterationPath'].find(name => !isInTree(fields[name], before.project));
  if (wrongTree !== undefined) return noTree(wrongTree, before.item);
  const errors = ruleErrors(fields, before, conditions);
  return errors.length > 0 ? ruleFailure(errors) : { fields, comment };
}

export function isFailure(result: Patched | PlatformAnswer): result is PlatformAnswer {
  return 'status' in result;
}

function testFailure(path: string, value: Json, item: WorkItem | undefined): PlatformAnswer | undefined {
  const known: JsonObject = { '/rev': item?.rev ?? null, '/id': item?.id ?? null };
  const actual = path in known ? known[path] : (item?.fields[path.replace('/fields/', '')] ?? null);
  if (actual === value) return undefined;
  const message = `VS403351: Test Operation for path ${path} failed, value ${textOf(actual)} was not equal to test value ${textOf(value)}.`;
  return failure(412, 'TestPatchOperationFailedException', message);
}

function ruleErrors(fields: Readonly<Record<string, Json>>, before: Before, conditions: AzureConditions): RuleError[] {
  const errors: RuleError[] = [];
  if (textOf(fields['System.Title']).trim() === '')
    errors.push(ruleError('System.Title', 'Title', 'Required', 'InvalidEmpty'));
  for (const [name, label] of Object.entries(conditions.required)) {
    if (name in fields) continue;
    errors.push(ruleError(name, label, 'Required', 'HasValues', 'LimitedToValues', 'AllowsOldValue', 'InvalidEmpty'));
  }
  for (const [name, { label, values, max }] of Object.entries(FIELDS)) {
    const value = textOf(fields[name]);
    if (max !== undefined && value.length > max) errors.push(ruleError(name, label, 'InvalidTooLong'));
    if (values && value !== '' && !values.includes(value)) errors.push(unsupported(name, label, value));
  }
  if (textOf(fields['System.Tags']).split(';').length > TAGS_MAX) {
    errors.push(ruleError('System.Tags', 'Tags', 'InvalidTooLong'));
  }
  const state = textOf(fields['System.State']);
  if (state !== '' && !statesFor(before, conditions).includes(state)) {
    errors.push(unsupported('System.State', 'State', state));
  }
  return errors;
}

/**
 * A new item begins in the first state. An existing item keeps its state or changes it as the rules of its process
 * allow.
 */
function statesFor({ item, workflow }: Before, { transitions }: AzureConditions): readonly string[] {
  const states = workflow.map(([state]) => state);
  if (!item) return states.slice(0, 1);
  const current = textOf(item.fields['System.State']);
  return [current, ...(transitions[current] ?? states).filter(state => states.includes(state))];
}

/** Semicolons separate tags. Tags are compared without case. */
function tagsOf(present: Json | undefined, added: Json): string {
  const tags = new Map<string, string>();
  for (const tag of `${textOf(present)};${textOf(added)}`.split(';').map(each => each.trim())) {
    if (tag !== '' && !tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), tag);
  }
  return [...tags.values()].join('; ');
}

function isInTree(path: Json | undefined, project: string): boolean {
  return path === undefined || path === project;
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function noField(name: string): PlatformAnswer {
  return failure(400, 'WorkItemTrackingFieldDefinitionNotFoundException', `TF51535: Cannot find field ${name}.`);
}

function noTree(name: string, item: WorkItem | undefined): PlatformAnswer {
  const message = `TF401347: Invalid tree name given for work item ${item?.id ?? -1}, field '${name}'.`;
  return failure(400, 'WorkItemInvalidTreeNameException', message);
}

const NO_PATCH = failure(
  400,
  'VssPropertyValidationException',
  'You must pass a valid patch document in the body of the request.',
);
