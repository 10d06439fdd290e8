/** Sources of a user's department. */
export interface DepartmentSources {
  /** The department attribute of the enterprise extension, as the identity provider sent it. */
  readonly attribute: string | null;
  /** The name of the user's first group in the order of code points. */
  readonly group: string | null;
  /** The department that this rule set last; null if it set none. */
  readonly assigned: string | null;
  /** The user's current department. */
  readonly current: string | null;
}

/**
 * Returns the department after a change at the identity provider, and the value to store in `assigned`. The attribute
 * takes precedence over groups. If the user has neither any more, a department that came from them is removed, and a
 * department that was set manually stays.
 */
export function departmentOf({ attribute, group, assigned, current }: DepartmentSources): {
  department: string | null;
  assigned: string | null;
} {
  const said = attribute ?? group;
  if (said !== null) return { department: said, assigned: said };
  return { department: assigned !== null && current === assigned ? null : current, assigned: null };
}
