import { BadRequestError, isStorableText, projectDefect, tagsDefect, type Tags, tagOf } from '#core';
import type { Actor, TokenBounds } from '../principals/principal.js';
import type { TokenRequest } from './token-grant.js';

/** Maximum number of models or patterns of one token. */
export const TOKEN_MODELS_MAX = 100;
/** Maximum length of a model or pattern, in UTF-16 units. */
export const TOKEN_MODEL_MAX = 255;

/** The error in the list of a token's models; undefined if the list is valid. */
export function modelsFault(value: unknown): string | undefined {
  const isModel = (entry: unknown): boolean =>
    typeof entry === 'string' && entry.trim() !== '' && entry.length <= TOKEN_MODEL_MAX && isStorableText(entry);
  const fits = Array.isArray(value) && value.length > 0 && value.length <= TOKEN_MODELS_MAX && value.every(isModel);
  return fits ? undefined : `must be a list of 1 to ${TOKEN_MODELS_MAX} names of models or patterns with *`;
}

/**
 * Restrictions of a new token. A new token inherits the restrictions of the token that creates it, so that a caller
 * cannot escape a restriction by creating another token.
 * @throws BadRequestError naming the invalid field, also if the request would loosen a restriction
 */
export function boundsOf({ token }: Pick<Actor, 'token'>, request: TokenRequest): TokenBounds {
  const { models = null, project = null, tags = null } = request;
  const fault = models === null ? undefined : modelsFault(models);
  if (fault !== undefined) throw BadRequestError.field('models', fault);
  const defect = projectDefect(project) ?? tagsDefect(tags);
  if (defect) throw BadRequestError.field(defect.field, defect.message);
  return {
    models: tighter('models', token?.models ?? null, models, isPartOf),
    project: tighter('project', token?.project ?? null, project, (own, requested) => own === requested),
    tags: tighter('tags', token?.tags ?? null, tags, hasAll),
  };
}

function tighter<T>(
  field: string,
  own: T | null,
  requested: T | null,
  fits: (own: T, requested: T) => boolean,
): T | null {
  if (own === null) return requested;
  if (requested === null) return own;
  if (!fits(own, requested)) throw BadRequestError.field(field, 'goes beyond what your own token may be used for');
  return requested;
}

/** Patterns are compared as texts, because the code cannot decide whether one pattern includes another. */
function isPartOf(own: readonly string[], requested: readonly string[]): boolean {
  return requested.every(model => own.includes(model));
}

function hasAll(own: Tags, requested: Tags): boolean {
  return Object.entries(own).every(([key, value]) => tagOf(requested, key) === value);
}
