/** A token of a filter. */
export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'mark' | 'end';
  /** The token as it is written in the filter. For a string: its value. */
  readonly text: string;
  /** Position of the token's first character, counted from 1. */
  readonly at: number;
}

const PIECE =
  /(?<blank>\s+)|(?<word>[A-Za-z$][\w$:.-]*)|(?<text>"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?<mark>[()[\].])/uy;

/** Splits a filter into tokens. If no token starts at some position, returns undefined and that position. */
export function tokensOf(filter: string): { tokens: Token[] } | { unreadableAt: number } {
  const tokens: Token[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < filter.length) {
    const at = PIECE.lastIndex + 1;
    const found = PIECE.exec(filter);
    if (!found?.groups) return { unreadableAt: at };
    const { word, text, number, mark } = found.groups;
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at });
    else if (text !== undefined) tokens.push({ kind: 'text', text: String(JSON.parse(text)), at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, at });
  }
  tokens.push({ kind: 'end', text: '', at: filter.length + 1 });
  return { tokens };
}
