/** An issue that was created for a ticket. */
export interface KeyedIssue {
  /** The id of the ticket. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The time from which searches find the issue. */
  readonly foundFrom: number;
}

/** A search for the issue of a ticket, by its key. */
export interface KeyedSearch {
  readonly key: string;
  readonly at: number;
}

/** A further issue of a ticket that already has an issue. */
export interface DuplicateIssue {
  readonly key: string;
  /**
   * Whether the duplicate is explained: the app searched for the ticket before it created it again, but no search could
   * find an existing issue.
   */
  readonly isExplained: boolean;
}

/** For each ticket, all of its issues except the first one. */
export function duplicateIssues(issues: readonly KeyedIssue[], searches: readonly KeyedSearch[]): DuplicateIssue[] {
  const inOrder = [...issues].sort((a, b) => a.createdAt - b.createdAt);
  return inOrder.flatMap((issue, at): DuplicateIssue[] => {
    const earlier = inOrder.slice(0, at).filter(({ key }) => key === issue.key);
    const last = earlier.at(-1);
    if (last === undefined) return [];
    const between = searches.filter(search => {
      return search.key === issue.key && search.at >= last.createdAt && search.at <= issue.createdAt;
    });
    const wasBlind = between.every(search => earlier.every(({ foundFrom }) => search.at < foundFrom));
    return [{ key: issue.key, isExplained: between.length > 0 && wasBlind }];
  });
}
