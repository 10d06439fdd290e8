import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import { adfDefects } from '../../support/itsm/adf-defects.js';
import { refused } from './conditions.js';
import { documentError } from './field-rules.js';

/** An issue that people and programs change. */
export interface LivingIssue {
  readonly id: string;
  status: { readonly name: string; readonly category: 'undefined' | 'new' | 'indeterminate' | 'done' };
  resolution: string | null;
  updatedAt: Date;
  readonly comments: { readonly id: string; readonly body: JsonObject; readonly created: string }[];
}

/** The context of the routes below. */
export interface LifeOf {
  now(): Date;
  priorities(): readonly { readonly id: string; readonly name: string }[];
  /** Sets the priority by its id. Returns false if the site has no such priority. */
  prioritize(id: string): boolean;
  /** Whether the screen of the transition to Done requires a resolution. */
  readonly requiresResolution?: boolean;
  /** Names of further fields that this screen requires, and that only people can fill. */
  readonly requires?: string;
  /** Ids of the transitions that the account may make. Default: all. */
  readonly transitions?: readonly string[];
  shown(name: string): string;
}

interface Transition {
  readonly id: string;
  readonly name: string;
  readonly to: LivingIssue['status'];
}

/** A workflow in which every status can follow every other. The final status without a solution comes first. */
const TRANSITIONS: readonly Transition[] = [
  { id: '41', name: "Won't Do", to: { name: "Won't Do", category: 'done' } },
  { id: '11', name: 'To Do', to: { name: 'To Do', category: 'new' } },
  { id: '21', name: 'Start', to: { name: 'In Progress', category: 'indeterminate' } },
  { id: '31', name: 'Finish', to: { name: 'Done', category: 'done' } },
];

const RESOLUTIONS = [
  { id: '10001', name: "Won't Do" },
  { id: '10002', name: 'Duplicate' },
  { id: '10000', name: 'Done' },
];

const CATEGORY_IDS = { undefined: 1, new: 2, indeterminate: 4, done: 3 };

/** Changes the status of an issue. Only an issue in a final status has a resolution. */
export function transit(issue: LivingIssue, to: LivingIssue['status'], resolution: string | null, now: Date): void {
  issue.status = to;
  issue.resolution = to.category === 'done' ? (resolution ?? 'Done') : null;
  issue.updatedAt = now;
}

/**
 * Comments, transitions and edits of an issue (REST API, version 3: "Issue comments", "Transition issue", "Edit issue",
 * "Get edit issue metadata"). Returns undefined for other requests.
 *
 * @param rest the path after `/issue/{key}`
 */
export function liveOn(
  { method, rest, json }: { method: string; rest: string; json: Json | undefined },
  issue: LivingIssue,
  life: LifeOf,
): PlatformAnswer | undefined {
  const body = asObject(json) ?? {};
  switch (`${method} ${rest}`) {
    case 'GET /comment': {
      const comments = issue.comments.toReversed();
      return { status: 200, json: { startAt: 0, maxResults: 100, total: comments.length, comments } };
    }
    case 'POST /comment':
      return comment(issue, body, life.now());
    case 'GET /transitions': {
      const transitions = possible(life).map(each => shownTransition(each, life));
      return { status: 200, json: { expand: 'transitions', transitions } };
    }
    case 'POST /transitions':
      return move(issue, body, life);
    case 'GET /editmeta': {
      const allowedValues = life.priorities().map(({ id, name }): Json => ({ id, name: life.shown(name) }));
      const schema = { type: 'priority', system: 'priority' };
      const priority = {
        required: false,
        schema,
        name: 'Priority',
        key: 'priority',
        operations: ['set'],
        allowedValues,
      };
      return { status: 200, json: { fields: { priority } } };
    }
    case 'PUT ':
      return edit(issue, body, life);
    default:
      return undefined;
  }
}

function possible({ transitions }: LifeOf): readonly Transition[] {
  return TRANSITIONS.filter(({ id }) => transitions?.includes(id) !== false);
}

function comment(issue: LivingIssue, { body }: JsonObject, now: Date): PlatformAnswer {
  const defects = adfDefects(body);
  const document = asObject(body);
  if (!document || defects.length > 0)
    return refused(400, [], { comment: `Comment body is not valid! ${defects.join()}` });
  const error = documentError(document);
  if (error !== undefined) return refused(400, [], { comment: error });
  const entry = { id: String(30_000 + issue.comments.length), body: document, created: now.toISOString() };
  issue.comments.push(entry);
  issue.updatedAt = now;
  return { status: 201, json: entry };
}

function move(issue: LivingIssue, { transition, fields }: JsonObject, life: LifeOf): PlatformAnswer {
  const chosen = possible(life).find(({ id }) => id === asObject(transition)?.['id']);
  if (!chosen) return refused(400, ['Transition id is not valid for this issue.']);
  const screen = asObject(shownTransition(chosen, life)['fields']) ?? {};
  const given = asObject(fields) ?? {};
  const unknown = Object.keys(given).filter(name => !(name in screen));
  const missing = Object.keys(screen).filter(name => !(name in given));
  const errors = [
    ...unknown.map((name): [string, string] => [name, `Field '${name}' cannot be set. It is not on the screen.`]),
    ...missing.map((name): [string, string] => [name, `${name} is required.`]),
  ];
  if (errors.length > 0) return refused(400, [], Object.fromEntries(errors));
  const resolution = RESOLUTIONS.find(({ id }) => id === asObject(given['resolution'])?.['id'])?.name;
  transit(issue, chosen.to, resolution ?? (chosen.id === '41' ? "Won't Do" : null), life.now());
  return { status: 204 };
}

function edit(issue: LivingIssue, { fields }: JsonObject, life: LifeOf): PlatformAnswer {
  const id = asObject(asObject(fields)?.['priority'])?.['id'];
  if (typeof id !== 'string' || !life.prioritize(id)) {
    return refused(400, [], { priority: 'The priority selected is invalid.' });
  }
  issue.updatedAt = life.now();
  return { status: 204 };
}

function shownTransition({ id, name, to }: Transition, life: LifeOf): JsonObject {
  const statusCategory = { id: CATEGORY_IDS[to.category], key: to.category, name: to.category };
  const required = { required: true, hasDefaultValue: false, operations: ['set'] };
  const resolution = { ...required, key: 'resolution', name: 'Resolution', schema: { type: 'resolution' } };
  const allowedValues = RESOLUTIONS.map(each => ({ id: each.id, name: life.shown(each.name) }));
  const isDone = id === '31';
  const fields: JsonObject = {
    ...(isDone && life.requiresResolution && { resolution: { ...resolution, allowedValues } }),
    ...(isDone &&
      life.requires !== undefined && {
        customfield_10060: { ...required, key: 'customfield_10060', name: life.requires, schema: { type: 'string' } },
      }),
  };
  return { id, name, to: { name: life.shown(to.name), id: `${to.category}-1`, statusCategory }, fields };
}
