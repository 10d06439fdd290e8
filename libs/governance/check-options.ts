import { option } from '#core';
import { SCHEMA_RULES, STRUCTURE_RULES, VALUE_RULES, type GovernanceOptions } from './governance.options.js';

const ASYNC_RULES = {
  ...STRUCTURE_RULES,
  useFactory: option.rule(value => typeof value === 'function', 'must be a function'),
  useClass: option.rule(value => typeof value === 'function', 'must be a class'),
  useExisting: option.rule(value => value !== null, 'must be a token'),
  inject: option.rule(Array.isArray, 'must be a list'),
  provideInjectionTokensFrom: option.rule(Array.isArray, 'must be a list'),
};

const BESIDE_THE_FACTORY = advice(STRUCTURE_RULES, 'is structure: give it to forRootAsync, beside useFactory');
const INSIDE_THE_FACTORY = advice(VALUE_RULES, 'is a value: return it from useFactory');

/** Invalid options of the module. The message lists every error with its path. */
export class InvalidGovernanceOptionsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`GovernanceModule cannot start, because of its options:\n${faults.map(fault => `- ${fault}`).join('\n')}`);
    this.name = new.target.name;
  }
}

/** @throws InvalidGovernanceOptionsError if values of the module are missing, unknown or wrong */
export function checkedValues(values: unknown): GovernanceOptions {
  if (typeof values !== 'object' || values === null) {
    throw new InvalidGovernanceOptionsError([
      `options: the factory returned ${values === null ? 'null' : typeof values}; return { database: { url }, keys }`,
    ]);
  }
  refuse(option.optionFaults(VALUE_RULES, values, BESIDE_THE_FACTORY));
  // All options were checked above, so the type is known.
  return values as GovernanceOptions;
}

/**
 * Checks the options of a migration that runs without a module.
 * @throws InvalidGovernanceOptionsError
 */
export function checkSchemaOptions(options: unknown): void {
  refuse(option.optionFaults({ database: option.section(SCHEMA_RULES, 'Give it') }, { database: options }));
}

/**
 * Checks the structure given to `forRoot`. Errors in values are thrown later, when the host starts, because a module
 * may be declared before its values exist.
 * @throws InvalidGovernanceOptionsError
 */
export function checkRoot(options: unknown): void {
  const given = Object.entries(Object(options));
  const structure = Object.fromEntries(given.filter(([name]) => Object.hasOwn(STRUCTURE_RULES, name)));
  if (option.optionFaults(STRUCTURE_RULES, structure).length === 0) return;
  refuse(option.optionFaults({ ...VALUE_RULES, ...STRUCTURE_RULES }, options));
}

/**
 * Checks the structure given to `forRootAsync`.
 * @throws InvalidGovernanceOptionsError
 */
export function checkAsyncRoot(options: unknown): void {
  const faults = option.optionFaults(ASYNC_RULES, options, INSIDE_THE_FACTORY);
  refuse([...sourceFaults(Object(options)), ...faults]);
}

/** Returns the error in the source of the values, or undefined. */
function sourceFaults(options: Readonly<Record<string, unknown>>): string[] {
  const [source, ...others] = ['useFactory', 'useClass', 'useExisting'].filter(name => options[name] !== undefined);
  if (source === undefined) return ['useFactory: missing. Give useFactory, useClass or useExisting'];
  // If several sources are given, Nest would use one and ignore the others.
  if (others.length > 0) return [`${others[0]}: stands beside ${source}; give one of the two`];
  return [];
}

/**
 * Gets the values from `useClass` or `useExisting`.
 * @throws InvalidGovernanceOptionsError if the class has no `create()`
 */
export function createdValues(source: unknown, option: 'useClass' | 'useExisting'): unknown {
  const factory = Object(source) as { create?: unknown };
  if (typeof factory.create !== 'function') {
    throw new InvalidGovernanceOptionsError([`${option}: lacks create(), which returns { database, keys }`]);
  }
  return factory.create();
}

/** @throws InvalidGovernanceOptionsError if the list of errors is not empty */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new InvalidGovernanceOptionsError(faults);
}

function advice(rules: option.OptionRules, what: string): ReadonlyMap<string, string> {
  return new Map(Object.keys(rules).map(name => [name, what]));
}
