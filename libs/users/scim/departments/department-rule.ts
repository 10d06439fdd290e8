/** What is known about where somebody's department comes from. */
export interface DepartmentSources {
  /** The enterprise attribute, as the identity provider sent it. */
  readonly attribute: string | null;
  /** Of the groups that the user is in, the name that comes first by code point. */
  readonly group: string | null;
  /** What this rule set last; null where it set nothing. */
  readonly assigned: string | null;
  /** The user's department as it stands. */
  readonly current: string | null;
}

/**
 * The department after a change at the identity provider, and what is to be remembered as set by it: the attribute wins
 * over groups. Where neither says anything any more, the department that came from them goes, and one that somebody set
 * here by hand stays.
 */
export function departmentOf({ attribute, group, assigned, current }: DepartmentSources): {
  department: string | null;
  assigned: string | null;
} {
  const said = attribute ?? group;
  if (said !== null) return { department: said, assigned: said };
  return { department: assigned !== null && current === assigned ? null : current, assigned: null };
}
