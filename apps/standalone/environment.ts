import { readFileSync } from 'node:fs';
import { ENVIRONMENT_SETTINGS, nearestName } from 'nest-llm-governance';
import { APP_SETTINGS } from './app-settings.js';

/** Variables of the environment, by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Ends the name of a variable that names a file with the value, as secrets are mounted into containers. */
const FILE = '_FILE';
const OURS = /^GOVERNANCE_/;
/** What Kubernetes sets for a service that is called `governance`. */
const OF_KUBERNETES = /^GOVERNANCE_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?)$/;

/** Every variable that the app reads, without the forms that end with `_FILE`. */
const VARIABLES: readonly string[] = [...APP_SETTINGS, ...ENVIRONMENT_SETTINGS].map(({ variable }) => variable);

/**
 * The variables of the app, each with its value or with the content of the file that `<NAME>_FILE` names.
 * @throws Error that names a variable whose file cannot be read, or that is given in both forms
 */
export function withFiles(environment: Environment): Map<string, string> {
  const values = new Map<string, string>();
  for (const variable of VARIABLES) {
    const [given, file] = [environment[variable]?.trim(), environment[variable + FILE]?.trim()];
    if (given && file) throw new Error(`${variable} and ${variable + FILE} are both set; keep one of them.`);
    const value = file ? contentOf(variable + FILE, file) : given;
    if (value) values.set(variable, value);
  }
  return values;
}

/** One sentence for each variable that looks like ours and is not, with the name that is meant, if one is like it. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(VARIABLES.flatMap(variable => [variable, variable + FILE]));
  return Object.keys(environment)
    .filter(name => OURS.test(name) && !known.has(name) && !OF_KUBERNETES.test(name))
    .toSorted()
    .map(name => {
      const meant = nearestName(name, [...known]);
      return `${name} is no variable of this app and is ignored${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
    });
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name}: the file cannot be read (${reason}).`, { cause: error });
  }
}
