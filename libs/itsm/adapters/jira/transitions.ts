import type { Json, JsonObject } from '#core';
import { asObject, asText, quoted } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';

/** A transition with the fields that its screen requires, or the reason why there is none. */
export type ChosenTransition = { readonly id: string; readonly fields?: JsonObject } | { readonly message: string };

/** Resolutions that do not solve the issue. */
const UNSOLVED = /won.?t|cancel|reject|declin|duplicate|invalid/i;

/**
 * Preferred resolutions, in lower case. If the screen offers none of them, the first resolution that does not decline
 * the issue is used.
 */
const RESOLUTIONS = ['done', 'fixed', 'resolved'];

/**
 * Chooses the transition that resolves or reopens an issue. The choice depends on the category of the transition's
 * target status, because each project has its own names.
 * @param list the answer of `GET /issue/{key}/transitions?expand=transitions.fields`
 */
export function chooseTransition(list: JsonObject, kind: 'resolve' | 'reopen'): ChosenTransition {
  const all = (Array.isArray(list['transitions']) ? list['transitions'] : []).map(asObject);
  const fitting = categoriesFor(kind).flatMap(category => all.filter(each => each && leadsTo(each, category, kind)));
  const choices = fitting.flatMap(each => (each ? [choiceOf(each)] : []));
  const usable = choices.find(choice => 'id' in choice);
  if (usable) return usable;
  const goal = kind === 'resolve' ? 'the category Done' : 'an open category';
  return choices[0] ?? { message: `The workflow has no transition to a status of ${goal} for this account.` };
}

function categoriesFor(kind: 'resolve' | 'reopen'): readonly string[] {
  return kind === 'resolve' ? ['done'] : ['new', 'indeterminate'];
}

function leadsTo(transition: JsonObject, category: string, kind: 'resolve' | 'reopen'): boolean {
  const to = asObject(transition['to']);
  if (asObject(to?.['statusCategory'])?.['key'] !== category) return false;
  const names = [asText(to?.['name']), asText(transition['name'])];
  return kind === 'reopen' || !names.some(name => name !== undefined && UNSOLVED.test(name));
}

function choiceOf(transition: JsonObject): ChosenTransition {
  const id = asText(transition['id']) ?? '';
  const screen = Object.entries(asObject(transition['fields']) ?? {}).map(
    ([name, field]) => [name, asObject(field) ?? {}] as const,
  );
  const resolution = screen.find(([name]) => name === 'resolution')?.[1];
  const value = resolution && resolutionIn(resolution['allowedValues']);
  const missing = screen.filter(
    ([name, field]) =>
      field['required'] === true && field['hasDefaultValue'] !== true && !(name === 'resolution' && value),
  );
  if (missing.length > 0) {
    const names = missing.map(([name, field]) => quoted(asText(field['name']) ?? name));
    return { message: `The transition requires fields that this connector does not fill: ${names.join(', ')}.` };
  }
  return value === undefined ? { id } : { id, fields: { resolution: value } };
}

function resolutionIn(allowed: Json | undefined): JsonObject | undefined {
  const values = (Array.isArray(allowed) ? allowed : []).map(asObject).filter(value => value !== undefined);
  const nameOf = (value: JsonObject): string => asText(value['name'])?.toLowerCase() ?? '';
  const preferred = RESOLUTIONS.flatMap(name => values.filter(value => nameOf(value) === name));
  const chosen = preferred[0] ?? values.find(value => !isDeclined(nameOf(value)) && !UNSOLVED.test(nameOf(value)));
  const id = asText(chosen?.['id']);
  return id === undefined ? undefined : { id };
}
