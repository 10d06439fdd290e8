import { isTagKey } from '#core';

/** Dimensions to group usage by, besides the keys of tags. */
export const NAMED_DIMENSIONS = ['user', 'department', 'project', 'model', 'provider', 'token'] as const;

/** One dimension to group usage by. */
export type Dimension = (typeof NAMED_DIMENSIONS)[number] | `tag:${string}`;

/** Maximum number of dimensions in one report. */
export const GROUP_BY_MAX = 2;

const EXPRESSIONS: Record<(typeof NAMED_DIMENSIONS)[number], string> = {
  user: 't.user_id::text',
  department: 'a.department',
  project: 'a.project',
  model: 't.model',
  provider: 't.provider',
  token: 'a.token_id::text',
};

/** The dimension that a text names, such as `model` or `tag:team`; undefined if the text names none. */
export function dimensionOf(text: string): Dimension | undefined {
  const named = NAMED_DIMENSIONS.find(name => name === text);
  if (named) return named;
  const key = text.startsWith('tag:') ? text.slice('tag:'.length) : '';
  return isTagKey(key) ? `tag:${key}` : undefined;
}

/**
 * SQL for the value of a dimension. Expects rollup rows `t` and their attributions `a`. The value is empty for usage
 * without a value.
 */
export function groupExpression(dimension: Dimension, bind: (value: unknown) => string): string {
  const named = NAMED_DIMENSIONS.find(name => name === dimension);
  const value = named ? EXPRESSIONS[named] : `a.tags ->> ${bind(dimension.slice('tag:'.length))}::text`;
  return `coalesce(${value}, '')`;
}
