import {
  boundTags,
  DimensionRefusal,
  dimensionsOr,
  type DecidedFor,
  type DimensionBounds,
  type Dimensions,
} from '#core';
import type { Actor } from '#access';

/** The reporter of usage. A restricted access token reports usage only for its own project and tags. */
export interface UsageReporter extends DimensionBounds {
  /** Id of the access token; undefined for any other credential. */
  readonly tokenId?: string | undefined;
}

/** The reporter behind a request. */
export function reporterOf({ kind, id, token }: Pick<Actor, 'kind' | 'id' | 'token'>): UsageReporter {
  return kind === 'token' ? { tokenId: id, project: token?.project, tags: token?.tags } : {};
}

/**
 * The project and tags of an event. Fields that the event lacks are taken from its decision. The project and tags of a
 * restricted token override both, unless another token requested the decision.
 */
export function dimensionsBy(
  { tokenId, project, tags }: UsageReporter,
  own: Dimensions,
  decided: DecidedFor | undefined,
): Dimensions | DimensionRefusal {
  if (!project && !tags) return decided ? dimensionsOr(own, decided) : own;
  if (decided && decided.tokenId !== null && decided.tokenId !== tokenId) return decided;
  const { project: named, tags: labels } = decided ? dimensionsOr(own, decided) : own;
  const bound = tags ? boundTags(labels, tags) : labels;
  return bound instanceof DimensionRefusal ? bound : { project: project ?? named, tags: bound };
}
