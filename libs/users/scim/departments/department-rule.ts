/** Sources of a user's department. */
export interface DepartmentSources {
  /** The enterprise attribute, as the identity provider sent it. */
  readonly attribute: string | null;
  /** The first name, by code point, among the user's groups. */
  readonly group: string | null;
  /** The last value that this rule set; null if it set none. */
  readonly assigned: string | null;
  /** The user's current department. */
  readonly current: string | null;
}

/**
 * The department after a change at the identity provider, and the value to store as set by this rule. The attribute
 * takes precedence over groups. If neither exists any more, a department that came from them is removed, and one that
 * was set manually stays.
 */
export function departmentOf({ attribute, group, assigned, current }: DepartmentSources): {
  department: string | null;
  assigned: string | null;
} {
  const said = attribute ?? group;
  if (said !== null) return { department: said, assigned: said };
  return { department: assigned !== null && current === assigned ? null : current, assigned: null };
}
