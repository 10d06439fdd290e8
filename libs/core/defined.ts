type Optional<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T];

/** An object type whose properties are optional where `T` allows undefined. */
export type Defined<T> = Omit<T, Optional<T>> & { [Name in Optional<T>]?: Exclude<T[Name], undefined> };

/** A copy of an object without its undefined fields. For options and updates in which undefined means "not set". */
export function defined<T extends object>(object: T): Defined<T> {
  // Removed properties are optional in the result type.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
