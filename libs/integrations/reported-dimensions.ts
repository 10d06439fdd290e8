import { projectDefect, tagsDefect, TAGS_MAX } from '#core';

/**
 * Project and tags from an integration, as fields of a usage event or a decision. Invalid names and values are omitted,
 * so that the usage still counts. If a tag has several values, the first is used. Tags beyond the maximum number are
 * omitted.
 */
export function reportedDimensions(
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
