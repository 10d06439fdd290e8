import type { Actor } from '#access';
import { BadRequestError, boundTags, DimensionRefusal, type DimensionBounds, type Tags } from '#core';
import { fitsModel } from '../decide/index.js';
import type { DecisionInput } from '../records/decision.js';

/** The defaults and restrictions that a credential sets for its requests. */
export interface DecisionCaller extends DimensionBounds {
  /** The access token; undefined for other credentials. */
  readonly tokenId?: string | undefined;
  /** Names of models or patterns with `*`, compared case-insensitively; null if every model is allowed. */
  readonly models?: readonly string[] | null | undefined;
}

/**
 * The request with the project and tags of the credential.
 * @throws BadRequestError if the request has too many tags in addition to those of the credential
 */
export function boundInput(input: DecisionInput, { project, tags }: DecisionCaller): DecisionInput {
  if (!project && !tags) return input;
  return { ...input, ...(project && { project }), ...(tags && { tags: tagsWithin(input, tags) }) };
}

function tagsWithin(input: DecisionInput, bounds: Tags): Tags {
  const tags = boundTags(input.tags, bounds);
  if (tags instanceof DimensionRefusal) throw BadRequestError.field(tags.field, tags.message);
  return tags;
}

/** Whether the credential may be used for the model. */
export function mayUse({ models }: DecisionCaller, model: string): boolean {
  if (!models) return true;
  const name = model.toLowerCase();
  return models.some(pattern => fitsModel(pattern.toLowerCase(), name));
}

/** The defaults and restrictions that an actor's credential sets for its requests. */
export function callerOf({ kind, id, token }: Pick<Actor, 'kind' | 'id' | 'token'>): DecisionCaller {
  return kind === 'token' ? { tokenId: id, ...token } : NOBODY;
}

const NOBODY: DecisionCaller = {};
