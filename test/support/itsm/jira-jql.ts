import type { Json } from '#core';
import type { JiraIssue } from './jira-issues.js';

type Matcher = (issue: JiraIssue) => boolean;

const CLAUSE = /^(labels =|description ~) "((?:[^"\\\p{Cc}]|\\["\\])*)"( OR )?/u;
const ORDER = / ORDER BY created DESC$/;

/**
 * The part of JQL that an adapter needs: `labels = "…"` and `description ~ "…"`, joined by OR, newest first.
 *
 * @throws Error with a message of Jira for anything else, and for queries without a restriction
 */
export function matcherOf(jql: string): Matcher {
  const matchers: Matcher[] = [];
  if (!ORDER.test(jql)) throw new Error(`Error in the JQL Query: the order is missing or unknown in '${jql}'.`);
  let rest = jql.replace(ORDER, '');
  let isOpen = true;
  while (rest !== '') {
    const found = CLAUSE.exec(rest);
    if (!found || !isOpen) throw new Error(`Error in the JQL Query: '${rest}' is not understood.`);
    const text = (found[2] ?? '').replaceAll(/\\(.)/gu, '$1');
    matchers.push(found[1] === 'labels =' ? hasLabel(text) : describes(text));
    isOpen = found[3] !== undefined;
    rest = rest.slice(found[0].length);
  }
  if (matchers.length === 0 || isOpen) throw new Error('Unbounded JQL queries are not allowed here.');
  return issue => matchers.some(matches => matches(issue));
}

function hasLabel(label: string): Matcher {
  return ({ sent }) => {
    const { labels } = sent.fields;
    return Array.isArray(labels) && labels.includes(label);
  };
}

/** A text in quotation marks is a phrase. Otherwise each word is searched for. */
function describes(text: string): Matcher {
  const phrase = /^"(.*)"$/su.exec(text)?.[1];
  const wanted = phrase === undefined ? wordsOf(text) : [wordsOf(phrase).join(' ')];
  return ({ sent }) => {
    const said = ` ${wordsOf(textsIn(sent.fields['description']).join(' ')).join(' ')} `;
    return wanted.length > 0 && wanted.every(each => each !== '' && said.includes(` ${each} `));
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const { text } = value;
  return [...(typeof text === 'string' ? [text] : []), ...textsIn(value['content'])];
}
