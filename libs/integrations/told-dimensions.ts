import { projectDefect, tagsDefect, TAGS_MAX } from '#core';

/**
 * Project and tags as an integration names them, as fields of a usage event or a decision. Names and values that cannot be
 * taken are left out, because whoever wrote them cannot be asked: usage counts without them. Of several values of a tag
 * the first counts; of more tags than there may be the first ones.
 */
export function toldDimensions(
  projects: readonly unknown[],
  tags: Iterable<readonly [key: string, value: unknown]>,
): { readonly project?: string; readonly tags?: Readonly<Record<string, string>> } {
  const project = projects.find(isProject);
  const kept = new Map<string, string>();
  for (const [key, value] of tags) {
    if (kept.size === TAGS_MAX) break;
    if (!kept.has(key) && typeof value === 'string' && !tagsDefect({ [key]: value })) kept.set(key, value);
  }
  return {
    ...(project === undefined ? {} : { project }),
    ...(kept.size === 0 ? {} : { tags: Object.fromEntries(kept) }),
  };
}

function isProject(value: unknown): value is string {
  return typeof value === 'string' && !projectDefect(value);
}
