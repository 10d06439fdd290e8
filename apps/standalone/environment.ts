import { readFileSync } from 'node:fs';
import { ENVIRONMENT_SETTINGS, nearestName } from 'nest-llm-governance';
import { APP_SETTINGS } from './app-settings.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Suffix for the name of a variable that contains the path of a file with the value, such as a secret mounted into a
 * container.
 */
const FILE = '_FILE';
const OURS = /^GOVERNANCE_/;
/** Variables that Kubernetes sets for a service named `governance`. */
const OF_KUBERNETES = /^GOVERNANCE_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?)$/;

/** All variables that the app reads, without their `_FILE` forms. */
const VARIABLES: readonly string[] = [...APP_SETTINGS, ...ENVIRONMENT_SETTINGS].map(({ variable }) => variable);

/**
 * The variables of the app, each with its value or with the content of the file that `<NAME>_FILE` names.
 * @throws Error that names a variable whose file cannot be read, or that is set in both forms
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

/**
 * One sentence for each unknown variable whose name resembles a variable of the app. It contains the most similar known
 * name.
 */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(VARIABLES.flatMap(variable => [variable, variable + FILE]));
  return Object.keys(environment)
    .filter(name => OURS.test(name) && !known.has(name) && !OF_KUBERNETES.test(name))
    .toSorted()
    .map(name => {
      const meant = nearestName(name, [...known]);
      return `${name} is not a variable of this app and is ignored${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
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
