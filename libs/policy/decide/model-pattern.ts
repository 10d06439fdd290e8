import { isStorableText, type FieldError } from '#core';

/** Maximum length of a model name or pattern in a policy, in UTF-16 units. */
export const MODEL_MAX = 255;

/**
 * The error in a policy's `model`, or undefined. Valid values are null (all models), a name, and a pattern in which `*`
 * matches any characters.
 */
export function validateModel(model: unknown, field = 'model'): FieldError[] {
  if (model === null) return [];
  if (typeof model !== 'string' || model === '') {
    return [{ field, message: 'must be a model name, a pattern such as "gpt-4*", or null for all models' }];
  }
  if (model.length > MODEL_MAX) return [{ field, message: `must have at most ${MODEL_MAX} characters` }];
  if (!isStorableText(model)) return [{ field, message: 'must not contain NUL or half of a surrogate pair' }];
  return [];
}

/** Whether the text is a pattern and not a name. */
export function isModelPattern(model: string): boolean {
  return model.includes('*');
}

/** Whether a policy's `model` (a name, a pattern, or null for all) matches a model. */
export function fitsModel(model: string | null, asked: string): boolean {
  if (model === null) return true;
  return isModelPattern(model) ? compileModelPattern(model)(asked) : model === asked;
}

/**
 * Returns the test of a pattern. Every character except `*` matches itself. The parts between the stars are searched
 * once each, from left to right and without backtracking. A malicious pattern therefore costs at most one pass per
 * part.
 */
export function compileModelPattern(pattern: string): (model: string) => boolean {
  const parts = pattern.split('*');
  const head = parts.shift() ?? '';
  const tail = parts.pop();
  if (tail === undefined) return model => model === pattern;
  const middle = parts.filter(part => part !== '');
  const shortest = head.length + tail.length;
  return model => {
    if (model.length < shortest || !model.startsWith(head) || !model.endsWith(tail)) return false;
    const end = model.length - tail.length;
    let from = head.length;
    for (const part of middle) {
      const at = model.indexOf(part, from);
      if (at === -1 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
