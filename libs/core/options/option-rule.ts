/** How a value is written as text, for example in an environment variable. `json` is for arrays and objects. */
export type OptionFormat = 'number' | 'flag' | 'text' | 'list' | 'json';

/** Checks one option that a host gives at boot. */
export interface OptionRule {
  /** Default: `text`. */
  readonly format?: OptionFormat;
  /** Remedy for a missing option. Without it, the option is optional. */
  readonly remedy?: string;
  /** Rules of the nested options, if this option is a section. */
  readonly inside?: OptionRules;
  /** Errors of a value, each with its path. Never repeats a string or an object, because it may contain a secret. */
  faults(value: unknown, path: string, known: KnownOptions): string[];
}

/** The rules of a section, by option name. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** One rule for each option of an interface. An option without a rule is a compile error. */
export type RulesOf<T> = { readonly [K in keyof Required<T>]: OptionRule };

/** Options of other sections, for hints about unknown names. */
export interface KnownOptions {
  /** All options of the tree, such as `database.url`. */
  readonly paths: readonly string[];
  /** Options that belong to another section, each with a hint on where to put it. */
  readonly misplaced: ReadonlyMap<string, string>;
}

/** Errors of all options, each with its path. */
export function optionFaults(
  rules: OptionRules,
  options: unknown,
  misplaced: ReadonlyMap<string, string> = new Map(),
): string[] {
  return sectionFaults(rules, Object(options), '', { paths: pathsOf(rules, ''), misplaced });
}

/** A group of options. */
export function section(rules: OptionRules, remedy?: string): OptionRule {
  return {
    ...(remedy === undefined ? {} : { remedy }),
    inside: rules,
    faults: (value, path, known) => {
      // If the section is missing, each of its required options is an error.
      if (value === undefined) return sectionFaults(rules, {}, `${path}.`, known);
      if (!isRecord(value)) return [`${path}: must be an object, and is ${kindOf(value)}`];
      return sectionFaults(rules, value, `${path}.`, known);
    },
  };
}

/** Makes an option mandatory. */
export function required(rule: OptionRule, remedy: string): OptionRule {
  return {
    ...rule,
    remedy,
    faults: (value, path, known) =>
      value === undefined && !rule.inside ? [`${path}: missing. ${remedy}`] : rule.faults(value, path, known),
  };
}

/** The type of a value, never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sectionFaults(
  rules: OptionRules,
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  known: KnownOptions,
): string[] {
  const unknown = Object.keys(value).filter(name => !Object.hasOwn(rules, name));
  return [
    ...unknown.map(name => `${prefix}${name}: ${adviceOn(prefix, name, rules, known)}`),
    ...Object.entries(rules).flatMap(([name, rule]) => {
      const given = value[name];
      return given === undefined && rule.remedy === undefined ? [] : rule.faults(given, prefix + name, known);
    }),
  ];
}

function adviceOn(prefix: string, name: string, rules: OptionRules, { paths, misplaced }: KnownOptions): string {
  const elsewhere = misplaced.get(prefix + name);
  if (elsewhere !== undefined) return elsewhere;
  const siblings = Object.keys(rules).map(sibling => prefix + sibling);
  const meant = nearest(name, siblings) ?? nearest(name, paths);
  if (meant !== undefined) return `unknown option; did you mean ${meant}?`;
  return `unknown option; there are ${Object.keys(rules).join(', ')}`;
}

function pathsOf(rules: OptionRules, prefix: string): string[] {
  return Object.entries(rules).flatMap(([name, { inside }]) =>
    [prefix + name].concat(inside ? pathsOf(inside, `${prefix}${name}.`) : []),
  );
}

/** The path whose last name is most similar to the given name; undefined if no name is similar enough. */
export function nearest(name: string, paths: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3));
  const ranked = paths
    .map(path => ({ path, distance: distanceOf(name.toLowerCase(), lastOf(path).toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.path;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Edit distance (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
