import type { Json } from '#core';

/** What the text nodes of a document hold, in their order: as it is, where the document's JSON escapes half characters. */
export function adfTexts(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(each => adfTexts(each));
  if (typeof node !== 'object' || node === null) return [];
  const { type, text, content = [] } = node;
  return type === 'text' && typeof text === 'string' ? [text] : adfTexts(content);
}
