import type { Json, JsonObject } from '#core';
import { asObject } from '#itsm';

/**
 * The limits of Block Kit (https://docs.slack.dev/reference/block-kit/blocks, and the pages of each block and element).
 */
const BLOCKS_MAX = 50;
const SECTION_TEXT_MAX = 3_000;
const FIELDS_MAX = 10;
const FIELD_MAX = 2_000;
const HEADER_MAX = 150;
const ELEMENTS_MAX = 25;
const CONTEXT_ELEMENTS_MAX = 10;
const BUTTON_TEXT_MAX = 75;
const VALUE_MAX = 2_000;
const ACTION_ID_MAX = 255;
const URL_MAX = 3_000;
const STYLES: ReadonlySet<Json | undefined> = new Set([undefined, 'primary', 'danger']);

/** The errors in the blocks of a message. Slack reports each as `invalid_blocks`. */
export function blockDefects(blocks: Json | undefined): string[] {
  if (blocks === undefined) return [];
  if (!Array.isArray(blocks)) return ['blocks is no array'];
  if (blocks.length > BLOCKS_MAX) return [`no more than ${BLOCKS_MAX} items allowed`];
  return blocks.flatMap((block, at) => defectsOf(asObject(block) ?? {}).map(defect => `blocks[${at}]: ${defect}`));
}

function defectsOf(block: JsonObject): string[] {
  const { type } = block;
  switch (typeof type === 'string' ? type : '') {
    case 'header':
      return textDefects(block['text'], HEADER_MAX, ['plain_text']);
    case 'section':
      return sectionDefects(block);
    case 'context':
      return listDefects(block['elements'], CONTEXT_ELEMENTS_MAX, each => textDefects(each, SECTION_TEXT_MAX));
    case 'actions':
      return [
        ...listDefects(block['elements'], ELEMENTS_MAX, each => buttonDefects(asObject(each) ?? {})),
        ...repeated(block['elements']),
      ];
    case 'divider':
      return [];
    default:
      return [`unsupported type: ${JSON.stringify(block['type'])}`];
  }
}

function sectionDefects({ text, fields }: JsonObject): string[] {
  if (text === undefined && fields === undefined) return ['missing required field: text'];
  return [
    ...(text === undefined ? [] : textDefects(text, SECTION_TEXT_MAX)),
    ...(fields === undefined ? [] : listDefects(fields, FIELDS_MAX, each => textDefects(each, FIELD_MAX))),
  ];
}

function buttonDefects({ type, text, value, url, style, action_id: actionId }: JsonObject): string[] {
  if (type !== 'button') return [`unsupported element: ${JSON.stringify(type)}`];
  return [
    ...textDefects(text, BUTTON_TEXT_MAX, ['plain_text']),
    ...lengthDefects('value', value, VALUE_MAX),
    ...lengthDefects('url', url, URL_MAX),
    ...lengthDefects('action_id', actionId, ACTION_ID_MAX),
    ...(STYLES.has(style) ? [] : [`unsupported style: ${JSON.stringify(style)}`]),
  ];
}

function textDefects(text: Json | undefined, max: number, types = ['plain_text', 'mrkdwn']): string[] {
  const { type, text: said } = asObject(text) ?? {};
  if (typeof type !== 'string' || !types.includes(type)) return [`text must be one of: ${types.join(', ')}`];
  if (typeof said !== 'string' || said.length === 0) return ['must be more than 0 characters'];
  return said.length > max ? [`must be less than ${max + 1} characters`] : [];
}

function lengthDefects(name: string, value: Json | undefined, max: number): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' && value.length <= max ? [] : [`${name} must be a text of at most ${max}`];
}

function listDefects(list: Json | undefined, max: number, check: (each: Json) => string[]): string[] {
  if (!Array.isArray(list) || list.length === 0) return ['must have at least one item'];
  return list.length > max ? [`no more than ${max} items allowed`] : list.flatMap(check);
}

/** An `action_id` should be unique in its block; Slack refuses a repeated one. */
function repeated(elements: Json | undefined): string[] {
  const ids = (Array.isArray(elements) ? elements : []).map(each => asObject(each)?.['action_id']);
  const given = ids.filter(id => id !== undefined);
  return new Set(given).size === given.length ? [] : ['action_id already exists'];
}
