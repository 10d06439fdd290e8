/**
 * The model's output, token by token. Each token has four bytes, so that an estimate by bytes can be exact. Some tokens
 * contain characters of two, three or four bytes, so that pieces of a stream split these characters.
 */
const TOKENS = [' the', ' tax', ' fü', ' né', ' fee', ' 日', ' is ', 'paid', '🚀', ' by ', ' Zü', ' now', ' ok.'];

/** The tokens from index `from` to before index `to`. */
export function textOf(from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index += 1) text += TOKENS[index % TOKENS.length] ?? '';
  return text;
}

/** Number of tokens in a prompt: a quarter of its characters, at least one. */
export function promptTokensOf(parts: readonly unknown[]): number {
  let characters = 0;
  for (const part of parts) {
    if (part !== undefined) characters += typeof part === 'string' ? part.length : JSON.stringify(part).length;
  }
  return Math.max(1, Math.ceil(characters / 4));
}

/** Number of tokens in a generated text: one per four bytes, rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * The fragments in which a stream sends a text. Each fragment is one token, with as many characters as fit into four
 * bytes.
 */
export function fragmentsOf(text: string): string[] {
  const fragments: string[] = [];
  let fragment = '';
  for (const character of text) {
    if (Buffer.byteLength(fragment + character) > 4) {
      fragments.push(fragment);
      fragment = '';
    }
    fragment += character;
  }
  return fragment === '' ? fragments : [...fragments, fragment];
}
