import { option } from '#core';
import { VALUE_RULES, type GovernanceOptions } from '../governance.options.js';
import { ENVIRONMENT_SETTINGS, type EnvironmentSetting } from './settings.js';

/** Variables of the environment, such as `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The options that are set by environment variables. */
export interface EnvironmentOptions {
  /** Unset and blank variables are omitted. Required options may be missing. */
  options: Partial<GovernanceOptions>;
  /** One sentence for each wrong value. It names the variable, but never contains the value, which may be a secret. */
  faults: string[];
}

/**
 * Reads the options of `forRoot` from environment variables, such as `GOVERNANCE_POOL_SIZE` for `database.poolSize`.
 * Lists are separated by commas. Identity providers are JSON.
 */
export function readEnvironment(environment: EnvironmentVariables): EnvironmentOptions {
  const options: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const setting of ENVIRONMENT_SETTINGS) {
    const text = environment[setting.variable]?.trim();
    if (text === undefined || text === '') continue;
    const value = valueOf(setting, text);
    const wrong = faultsOf(setting, value);
    faults.push(...wrong);
    if (wrong.length === 0) put(options, setting.path.split('.'), value);
  }
  // The rule of each option has accepted its value, so the type is known.
  return { options, faults };
}

const READERS: Record<option.OptionFormat, (text: string) => unknown> = {
  text: text => text,
  // If the text is not a number, it stays a text, and the rule of the option refuses it.
  number: text => (Number.isNaN(Number(text)) ? text : Number(text)),
  flag: text => (text === 'true' ? true : text === 'false' ? false : text),
  list: text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  json: text => {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      return text;
    }
  },
};

function valueOf({ format }: EnvironmentSetting, text: string): unknown {
  return READERS[format](text);
}

/** Checks a value with the rule of its option. Errors name the variable instead of the path of the option. */
function faultsOf({ path, variable, format }: EnvironmentSetting, value: unknown): string[] {
  if (format === 'json' && typeof value === 'string') return [`${variable} must be JSON, and cannot be read as JSON.`];
  const nested: Record<string, unknown> = {};
  put(nested, path.split('.'), value);
  return option
    .optionFaults(VALUE_RULES, nested)
    .filter(fault => fault.startsWith(path) && /^[:[.]/.test(fault.slice(path.length)))
    .map(fault => `${variable}${fault.slice(path.length).replace(/^: /, ' ')}.`);
}

function put(target: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const section = (target[name] ??= {});
  put(section as Record<string, unknown>, rest, value);
}
