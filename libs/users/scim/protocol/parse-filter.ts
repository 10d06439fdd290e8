import { named, type Attribute } from './attribute.js';
import { COMPARISON_WORDS, comparisonOf, type Comparison, type Filter } from './filter.js';
import { tokensOf, type Token } from './filter-tokens.js';
import { findAttribute, type AttributeRef, type ResourceSchema } from './resource-schema.js';
import { ScimError } from './scim-error.js';

/** Maximum length of a filter, in characters. */
export const FILTER_MAX_LENGTH = 8_192;

const DEPTH_MAX = 20;
const VALUE_WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const COMPARISONS_MAX = 100;

/**
 * Target of a PATCH operation: an attribute, the values of a list that a filter selects, or a sub-attribute of these
 * values.
 */
export interface Target {
  readonly ref: AttributeRef;
  readonly chosen?: Filter;
}

/** Finds the attributes that a filter names. */
type Lookup = (name: string) => AttributeRef | undefined;

/**
 * Parses a filter for a schema: `and`, `or`, `not (…)`, groups, and value filters in brackets. An attribute that only
 * another resource type has counts as an attribute without a value (RFC 7644, section 3.4.2.1).
 * @throws ScimError invalidFilter with the error and its position.
 */
export function parseFilter(schema: ResourceSchema, text: string, others: readonly ResourceSchema[] = []): Filter {
  if (text.length > FILTER_MAX_LENGTH) {
    throw new ScimError('invalidFilter', `The filter is longer than ${FILTER_MAX_LENGTH} characters.`);
  }
  const look: Lookup = name => {
    const found = findAttribute(schema, name);
    if (found) return found;
    const [elsewhere] = others.flatMap(other => findAttribute(other, name) ?? []);
    return elsewhere && { ...elsewhere, absent: true };
  };
  const parser = new FilterParser(text, look, 'invalidFilter');
  const filter = parser.filter();
  parser.expectEnd();
  return filter;
}

/**
 * Parses the path of a PATCH operation: `title`, `name.givenName`, `urn:…:User:department`, `emails[type eq
 * "work"].value`.
 * @throws ScimError invalidPath, or invalidFilter for the filter in brackets.
 */
export function parsePath(schema: ResourceSchema, text: string): Target {
  if (text.length > FILTER_MAX_LENGTH) throw new ScimError('invalidPath', 'The path is too long.');
  return new FilterParser(text, name => findAttribute(schema, name), 'invalidPath').target();
}

class FilterParser {
  private readonly tokens: readonly Token[];
  private next = 0;
  private depth = 0;
  private comparisons = 0;

  constructor(
    text: string,
    private readonly look: Lookup,
    private readonly fault: 'invalidFilter' | 'invalidPath',
  ) {
    const cut = tokensOf(text);
    if ('unreadableAt' in cut) throw this.refuse(`cannot be read from character ${cut.unreadableAt} on`);
    this.tokens = cut.tokens;
  }

  filter(look = this.look): Filter {
    return this.joined('or', () => this.joined('and', () => this.single(look)));
  }

  target(): Target {
    const name = this.take();
    const ref = name.kind === 'word' ? this.look(name.text) : undefined;
    if (ref === undefined) throw this.refuse(`names no attribute at character ${name.at}: ${shown(name)}`);
    if (!this.skips('[')) {
      this.expectEnd();
      return { ref };
    }
    const chosen = this.bracketed(ref);
    const sub = this.subAttribute(ref);
    this.expectEnd();
    return { ref: sub ? { ...ref, sub } : ref, chosen };
  }

  expectEnd(): void {
    const token = this.take();
    if (token.kind !== 'end') throw this.refuse(`should end before character ${token.at}: ${shown(token)}`);
  }

  private joined(word: 'and' | 'or', part: () => Filter): Filter {
    const parts = [part()];
    while (this.skips(word)) parts.push(part());
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: word, parts };
  }

  private single(look: Lookup): Filter {
    if (this.skips('(')) return this.closed(')', look);
    if (isWord(this.peek(), 'not') && isMark(this.tokens[this.next + 1], '(')) {
      this.next += 2;
      return { kind: 'not', part: this.closed(')', look) };
    }
    const name = this.take();
    if (name.kind !== 'word') throw this.refuse(`lacks an attribute at character ${name.at}: ${shown(name)}`);
    const ref = look(name.text);
    if (ref === undefined) {
      throw this.refuse(`names the attribute ${JSON.stringify(name.text)}, which this server does not have`);
    }
    if (!this.skips('[')) return this.comparison(ref);
    const filter = this.bracketed(ref);
    const sub = this.subAttribute(ref);
    // `emails[type eq "work"].value eq "…"` is not in the RFC, but Entra ID sends it.
    if (!sub) return { kind: 'some', ref, filter };
    return { kind: 'some', ref, filter: { kind: 'and', parts: [filter, this.comparison({ attribute: sub })] } };
  }

  private bracketed(ref: AttributeRef): Filter {
    const { subAttributes, multiValued, name } = ref.attribute;
    if (!multiValued || !subAttributes || ref.sub) throw this.refuse(`puts brackets behind ${name}, which is no list`);
    return this.closed(']', lookIn(subAttributes));
  }

  private closed(mark: ')' | ']', look: Lookup): Filter {
    if (++this.depth > DEPTH_MAX) throw this.refuse(`nests deeper than ${DEPTH_MAX} levels`);
    const filter = this.filter(look);
    this.depth--;
    if (!this.skips(mark)) throw this.refuse(`lacks ${mark} at character ${this.peek().at}`);
    return filter;
  }

  private subAttribute(ref: AttributeRef): Attribute | undefined {
    if (!this.skips('.')) return undefined;
    const name = this.take();
    const sub = name.kind === 'word' ? named(ref.attribute.subAttributes ?? [], name.text) : undefined;
    if (!sub) throw this.refuse(`names no part of ${ref.attribute.name} at character ${name.at}: ${shown(name)}`);
    return sub;
  }

  private comparison(ref: AttributeRef): Filter {
    if (++this.comparisons > COMPARISONS_MAX) throw this.refuse(`has more than ${COMPARISONS_MAX} comparisons`);
    const token = this.take();
    const how = token.text.toLowerCase();
    if (token.kind === 'word' && how === 'pr') return { kind: 'present', ref };
    if (token.kind !== 'word' || !COMPARISON_WORDS.has(how)) {
      throw this.refuse(`lacks a comparison such as eq at character ${token.at}: ${shown(token)}`);
    }
    // The set contains only comparison operators, so the cast is safe.
    const meant = comparisonOf(ref, how as Comparison, this.operand());
    if ('defect' in meant)
      throw this.refuse(`is wrong at character ${token.at}: ${ref.attribute.name} ${meant.defect}`);
    return { kind: 'compare', how: how as Comparison, ...meant };
  }

  private operand(): string | number | boolean | null {
    const token = this.take();
    if (token.kind === 'text') return token.text;
    if (token.kind === 'number') return Number(token.text);
    const word = token.kind === 'word' ? VALUE_WORDS.get(token.text.toLowerCase()) : undefined;
    if (word === undefined) {
      throw this.refuse(`lacks a value at character ${token.at}: texts stand in double quotes; found ${shown(token)}`);
    }
    return word;
  }

  private skips(text: string): boolean {
    const token = this.peek();
    const matches = isMark(token, text) || isWord(token, text);
    if (matches) this.next++;
    return matches;
  }

  private peek(): Token {
    return this.tokens[this.next] ?? { kind: 'end', text: '', at: 0 };
  }

  private take(): Token {
    const token = this.peek();
    this.next++;
    return token;
  }

  private refuse(what: string): ScimError {
    return new ScimError(this.fault, `The ${this.fault === 'invalidPath' ? 'path' : 'filter'} ${what}.`);
  }
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark;
}

function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.text.toLowerCase() === word;
}

function lookIn(attributes: readonly Attribute[]): Lookup {
  return name => {
    const attribute = named(attributes, name);
    return attribute && { attribute };
  };
}

function shown(token: Token): string {
  return token.kind === 'end' ? 'nothing follows' : JSON.stringify(token.text.slice(0, 50));
}
