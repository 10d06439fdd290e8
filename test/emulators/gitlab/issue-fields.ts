import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { mistaken, refused, type GitLabConditions } from './conditions.js';

/**
 * Maximum lengths of titles and descriptions in characters (https://docs.gitlab.com/api/issues/, "Create an issue").
 */
const TITLE_MAX = 255;
const DESCRIPTION_MAX = 1_048_576;

/**
 * The attributes of a request that creates or changes an issue. Attributes that the request does not name are
 * undefined.
 */
export interface IssueFields {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly labels: string[] | undefined;
  readonly addLabels: string[];
  readonly removeLabels: string[];
  readonly confidential: boolean | undefined;
  readonly stateEvent: 'close' | 'reopen' | undefined;
}

/**
 * Reads the attributes of an issue from a JSON body or from query parameters (https://docs.gitlab.com/api/rest/,
 * "Request payload"). Throws for an invalid attribute: `{"error": …}` if its type is wrong, `{"message": {"title":
 * […]}}` if it fails validation.
 */
export function readFields(body: JsonObject, query: URLSearchParams): IssueFields | PlatformAnswer {
  const given: JsonObject = { ...Object.fromEntries(query), ...body };
  const { title, description, confidential, state_event: stateEvent } = given;
  if (stateEvent !== undefined && stateEvent !== 'close' && stateEvent !== 'reopen') {
    return mistaken(400, 'state_event does not have a valid value');
  }
  if (confidential !== undefined && !['true', 'false'].includes(textOf(confidential))) {
    return mistaken(400, 'confidential is invalid');
  }
  const invalid: JsonObject = {
    ...(title !== undefined && textOf(title).trim() === '' && { title: ["can't be blank"] }),
    ...(textOf(title).length > TITLE_MAX && { title: [`is too long (maximum is ${TITLE_MAX} characters)`] }),
    ...(textOf(description).length > DESCRIPTION_MAX && {
      description: [`is too long (maximum is ${DESCRIPTION_MAX} characters)`],
    }),
  };
  if (Object.keys(invalid).length > 0) return refused(400, invalid);
  return {
    title: title === undefined ? undefined : textOf(title),
    description: description === undefined ? undefined : textOf(description),
    labels: given['labels'] === undefined ? undefined : labelsIn(given['labels']),
    addLabels: labelsIn(given['add_labels']),
    removeLabels: labelsIn(given['remove_labels']),
    confidential: confidential === undefined ? undefined : textOf(confidential) === 'true',
    stateEvent,
  };
}

export function isRefusal(read: IssueFields | PlatformAnswer): read is PlatformAnswer {
  return 'status' in read;
}

/** A required attribute is missing (https://docs.gitlab.com/api/rest/troubleshooting/, "Status code 400"). */
export function notGiven(name: string, { missing }: GitLabConditions): PlatformAnswer {
  return missing === 'parser'
    ? mistaken(400, `${name} is missing`)
    : refused(400, `400 (Bad request) "${name}" not given`);
}

/** Commas separate labels in a text, so no label contains one. An array is accepted, too. */
function labelsIn(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  return [...new Set(list.flatMap(each => each.split(',')).map(each => each.trim()))].filter(each => each !== '');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
