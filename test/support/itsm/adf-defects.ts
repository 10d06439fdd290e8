import type { Json, JsonObject } from '#core';

interface NodeRule {
  /** Kinds of child nodes. If this field is missing, the node has no `content`. */
  readonly content?: readonly string[];
  readonly attrs?: Readonly<Record<string, (value: Json) => boolean>>;
  /** Required attributes. */
  readonly required?: readonly string[];
  readonly marks?: readonly string[];
}

const isText = (value: Json): boolean => typeof value === 'string';
const INLINE = ['text', 'hardBreak'];

/**
 * The part of the Atlassian Document Format that plain documents use, from its documentation
 * (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure). Anything else is a defect.
 */
const NODES: Readonly<Record<string, NodeRule>> = {
  paragraph: { content: INLINE, attrs: { localId: isText }, marks: [] },
  codeBlock: { content: ['text'], attrs: { language: isText, uniqueId: isText, localId: isText }, marks: [] },
  heading: {
    content: INLINE,
    attrs: { level: value => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 6 },
    required: ['level'],
    marks: [],
  },
  rule: {},
  hardBreak: { attrs: { text: value => value === '\n' } },
};

const MARKS: Readonly<Record<string, NodeRule>> = {
  link: {
    attrs: { href: value => typeof value === 'string' && URL.canParse(value), title: isText },
    required: ['href'],
  },
  strong: {},
  em: {},
  code: {},
};

const TOP_LEVEL = ['paragraph', 'codeBlock', 'heading', 'rule'];

/** The defects of a value that should be a document, each as `path: text`. Empty if the document is valid. */
export function adfDefects(value: Json | undefined): string[] {
  if (!isObject(value)) return ['doc: is no object'];
  return [
    ...unknownKeys(value, ['version', 'type', 'content'], 'doc'),
    ...(value['version'] === 1 ? [] : ['doc.version: is not 1']),
    ...(value['type'] === 'doc' ? [] : ['doc.type: is not doc']),
    ...children(value, TOP_LEVEL, 'doc'),
  ];
}

function children(parent: JsonObject, allowed: readonly string[], at: string, inCode = false): string[] {
  const { content } = parent;
  if (!Array.isArray(content)) return [`${at}.content: is no list`];
  return content.flatMap((child, index) => {
    const place = `${at}.content[${index}]`;
    if (!isObject(child)) return [`${place}: is no object`];
    const kind = nameOf(child);
    if (!allowed.includes(kind)) return [`${place}: ${kind} has no place here`];
    return kind === 'text' ? textNode(child, place, inCode) : node(child, kind, place);
  });
}

function node(value: JsonObject, kind: string, at: string): string[] {
  const rule = NODES[kind] ?? {};
  const keys = [
    'type',
    ...(rule.content ? ['content'] : []),
    ...(rule.attrs ? ['attrs'] : []),
    ...(rule.marks ? ['marks'] : []),
  ];
  return [
    ...unknownKeys(value, keys, at),
    ...attributes(value, rule, at),
    ...marks(value, [], at),
    // `content` may be missing, because a block without content omits it.
    ...(rule.content && 'content' in value ? children(value, rule.content, at, kind === 'codeBlock') : []),
  ];
}

function textNode(value: JsonObject, at: string, inCode: boolean): string[] {
  const { text } = value;
  return [
    ...unknownKeys(value, ['type', 'text', 'marks'], at),
    ...(typeof text === 'string' && text !== '' ? [] : [`${at}.text: is no text of at least one character`]),
    ...marks(value, inCode ? [] : Object.keys(MARKS), at),
  ];
}

function marks(value: JsonObject, allowed: readonly string[], at: string): string[] {
  const { marks: list } = value;
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${at}.marks: is no list`];
  const defects = list.flatMap((mark, index) => markDefects(mark, allowed, `${at}.marks[${index}]`));
  const kinds = list.filter(isObject).map(nameOf);
  const isMixed = kinds.includes('code') && kinds.some(kind => kind !== 'code' && kind !== 'link');
  return isMixed ? [...defects, `${at}.marks: code takes no other mark than a link`] : defects;
}

function markDefects(mark: Json, allowed: readonly string[], at: string): string[] {
  if (!isObject(mark)) return [`${at}: is no object`];
  const kind = nameOf(mark);
  if (!allowed.includes(kind)) return [`${at}: ${kind} has no place here`];
  const rule = MARKS[kind] ?? {};
  return [...unknownKeys(mark, ['type', ...(rule.attrs ? ['attrs'] : [])], at), ...attributes(mark, rule, at)];
}

function attributes(value: JsonObject, { attrs: known = {}, required = [] }: NodeRule, at: string): string[] {
  const attrs = value['attrs'] ?? {};
  if (!isObject(attrs)) return [`${at}.attrs: is no object`];
  return [
    ...unknownKeys(attrs, Object.keys(known), `${at}.attrs`),
    ...required.filter(name => !(name in attrs)).map(name => `${at}.attrs.${name}: is missing`),
    ...Object.entries(attrs)
      .filter(([name, entry]) => known[name] && !known[name](entry))
      .map(([name]) => `${at}.attrs.${name}: is not what it may be`),
  ];
}

function nameOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : 'something';
}

function unknownKeys(value: JsonObject, known: readonly string[], at: string): string[] {
  return Object.keys(value)
    .filter(key => !known.includes(key))
    .map(key => `${at}.${key}: is unknown`);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
