/**
 * What the model writes, token by token. Of four characters each on the average, so that an estimate by characters can
 * be compared; some need two, three or four bytes, so that pieces of a stream split them.
 */
const TOKENS = [
  ' the',
  ' tax',
  ' für',
  ' rät',
  ' cost',
  ' 日本',
  ' is',
  ' paid',
  ' 🚀',
  ' by',
  ' café',
  ' on',
  ' time',
];

/** Tokens `from` up to, and without, `to`. */
export function textOf(from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index += 1) text += TOKENS[index % TOKENS.length] ?? '';
  return text;
}

/** Tokens of a prompt: a quarter of its characters, at least one. */
export function promptTokensOf(parts: readonly unknown[]): number {
  let characters = 0;
  for (const part of parts) {
    if (part !== undefined) characters += typeof part === 'string' ? part.length : JSON.stringify(part).length;
  }
  return Math.max(1, Math.ceil(characters / 4));
}

/** The arguments of a tool call in the fragments that a stream has them in. Each is one token. */
export function fragmentsOf(json: string): string[] {
  const characters = Array.from(json);
  const fragments: string[] = [];
  for (let at = 0; at < characters.length; at += 4) fragments.push(characters.slice(at, at + 4).join(''));
  return fragments;
}
