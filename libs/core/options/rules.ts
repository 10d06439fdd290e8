import { messageOf } from '../thrown.js';
import { isRecord, kindOf, type OptionFormat, type OptionRule } from './option-rule.js';

/** An integer from `min` to `max`. `note` is appended to the error message. */
export function whole(min: number, max: number, note = ''): OptionRule {
  return number(
    value => Number.isInteger(value) && value >= min && value <= max,
    `whole number from ${min} to ${max}${note}`,
  );
}

/** A number from 0 to 1. */
export function share(): OptionRule {
  return number(value => value >= 0 && value <= 1, 'number from 0 to 1');
}

/** True or false. */
export function flag(): OptionRule {
  return { ...rule(value => typeof value === 'boolean', 'must be true or false'), format: 'flag' };
}

/** A non-blank text. */
export function text(): OptionRule {
  return rule(value => typeof value === 'string' && value.trim() !== '', 'must be a text that is not empty');
}

/** One of several texts. */
export function choice(values: readonly string[]): OptionRule {
  return rule(value => values.some(each => each === value), `must be one of ${values.join(', ')}`);
}

/** The URL of a web page: `http` or `https`, without user, query and fragment. */
export function webAddress(): OptionRule {
  return rule(isWebAddress, 'must be an http or https URL such as https://governance.example.com');
}

/** A value that `isOfType` and `read` accept. If `read` throws, its error becomes the error message. */
export function readable<T>(
  isOfType: (value: unknown) => value is T,
  expected: string,
  read: (value: T) => void,
): OptionRule {
  return {
    format: FORMATS.get(isOfType) ?? 'json',
    faults: (value, path) => {
      if (!isOfType(value)) return [`${path}: must be ${expected}, and is ${kindOf(value)}`];
      try {
        read(value);
        return [];
      } catch (error) {
        const message = messageOf(error);
        // Some messages already start with the name of the option. They are not prefixed again.
        if (message.startsWith(path.replace(/\[.*$/s, ''))) return [message];
        const name = path.slice(path.lastIndexOf('.') + 1);
        return [`${path}: ${message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message}`];
      }
    },
  };
}

/** A list whose entries follow one rule. With `whenEmpty`, a remedy, the list must not be empty. */
export function list(entry: OptionRule, whenEmpty?: string): OptionRule {
  return {
    format: 'json',
    faults: (value, path, known) => {
      if (!Array.isArray(value)) return [`${path}: must be a list, and is ${kindOf(value)}`];
      if (value.length === 0 && whenEmpty !== undefined) return [`${path}: is empty. ${whenEmpty}`];
      return value.flatMap((each: unknown, at) => entry.faults(each, `${path}[${at}]`, known));
    },
  };
}

/** An object that has these methods, own or inherited. */
export function instance(methods: readonly string[]): OptionRule {
  return {
    faults: (value, path) => {
      if (typeof value !== 'object' || value === null) return [`${path}: must be an object, and is ${kindOf(value)}`];
      const missing = methods.filter(name => typeof Reflect.get(value, name) !== 'function');
      return missing.length === 0 ? [] : [`${path}: lacks ${missing.map(name => `${name}()`).join(', ')}`];
    },
  };
}

/** An object with arbitrary names whose values follow one rule. */
export function record(entry: OptionRule): OptionRule {
  return {
    format: 'json',
    faults: (value, path, known) =>
      isRecord(value)
        ? Object.entries(value).flatMap(([name, each]) => entry.faults(each, `${path}.${name}`, known))
        : [`${path}: must be an object, and is ${kindOf(value)}`],
  };
}

/** Any value that passes a check; `must` describes valid values. */
export function rule(passes: (value: unknown) => boolean, must: string): OptionRule {
  return { faults: (value, path) => (passes(value) ? [] : [`${path}: ${must}, and is ${kindOf(value)}`]) };
}

/** A text, for {@link readable}. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A list of texts, for {@link readable}. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Numbers are not secrets, so the error shows them. */
function number(passes: (value: number) => boolean, expected: string): OptionRule {
  return {
    format: 'number',
    faults: (value, path) => {
      if (typeof value === 'number' && passes(value)) return [];
      return [`${path}: must be a ${expected}, and is ${typeof value === 'number' ? value : kindOf(value)}`];
    },
  };
}

/** Text formats of the types that {@link readable} checks. */
const FORMATS = new Map<unknown, OptionFormat>([
  [isText, 'text'],
  [isTextList, 'list'],
]);

function isWebAddress(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
}
