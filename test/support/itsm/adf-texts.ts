import type { Json } from '#core';

/**
 * The texts of a document's text nodes, in order. In contrast to the document's JSON, they show half surrogate pairs
 * unescaped.
 */
export function adfTexts(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(each => adfTexts(each));
  if (typeof node !== 'object' || node === null) return [];
  const { type, text, content = [] } = node;
  return type === 'text' && typeof text === 'string' ? [text] : adfTexts(content);
}
