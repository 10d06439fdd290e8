import type { Json, JsonObject } from '#core';
import { normalizedTextOf } from './normalized-text.js';

/** Replacement of a secret. */
const HIDDEN = '[hidden]';
/** A secret shorter than this can occur within an ordinary word. It is hidden only where it is a separate word. */
const ANYWHERE_MIN = 4;
/** A secret shorter than this is not searched within other base64, where a short match would be ambiguous. */
const MIDDLE_MIN = 6;
const DEPTH_MAX = 50;

/** Padding of base64, either plain or percent-encoded. */
const PADDING = /(?:=|%(?:25)?3d){0,2}/iy;

/**
 * Removes the secrets of a connector from texts. Recognizes every encoding in which a platform may repeat them: plain,
 * folded, escaped, percent-encoded, or base64. Base64 of a secret is found if it stands alone, if the secret is part of
 * `name:password`, and within other base64.
 */
export class SecretFilter {
  private readonly literals: RegExp | undefined;
  private readonly needles: readonly string[];

  constructor(secrets: JsonObject) {
    const values = Object.values(secrets).flatMap(value =>
      typeof value === 'string' && /\S/.test(value) ? value : [],
    );
    const pairs = values.flatMap(first => values.map(second => `${first}:${second}`));
    const encoded = [...values, ...pairs].map(text => Buffer.from(text).toString('base64'));
    const found = [...values, ...encoded].map(text => normalizedTextOf(text).text);
    const inside = values.flatMap(withinBase64).map(text => normalizedTextOf(text).text);
    this.needles = [...new Set([...found, ...inside])].filter(text => text.length >= ANYWHERE_MIN);
    const literals = [...values, ...values.map(text => encodeURIComponent(text.toWellFormed()))];
    const longestFirst = [...new Set(literals)].sort((a, b) => b.length - a.length);
    this.literals = values.length === 0 ? undefined : new RegExp(longestFirst.map(literal).join('|'), 'gu');
  }

  /** The text with every secret hidden. */
  hide(text: string): string {
    if (this.literals === undefined) return text;
    const rest = text.replaceAll(this.literals, HIDDEN);
    let [shown, done] = ['', 0];
    for (const [start, end] of merged(this.placesIn(rest))) {
      shown += rest.slice(done, start) + HIDDEN;
      PADDING.lastIndex = end;
      done = end + (PADDING.exec(rest)?.[0].length ?? 0);
    }
    return shown + rest.slice(done);
  }

  /** Whether the text contains a secret. */
  finds(text: string): boolean {
    return this.hide(text) !== text;
  }

  /**
   * Hides secrets in the names, strings and numbers of a JSON value. Values nested deeper than DEPTH_MAX become null.
   */
  hideIn(json: Json, depth = 0): Json {
    if (typeof json === 'string') return this.hide(json);
    if (typeof json === 'number') return this.finds(String(json)) ? HIDDEN : json;
    if (typeof json !== 'object' || json === null) return json;
    if (depth >= DEPTH_MAX) return null;
    if (Array.isArray(json)) return json.map(each => this.hideIn(each, depth + 1));
    const entries = Object.entries(json);
    return Object.fromEntries(entries.map(([name, value]) => [this.hide(name), this.hideIn(value, depth + 1)]));
  }

  private placesIn(text: string): [number, number][] {
    const { text: normalizedText, starts, ends } = normalizedTextOf(text);
    const places: [number, number][] = [];
    for (const needle of this.needles) {
      for (let at = normalizedText.indexOf(needle); at >= 0; at = normalizedText.indexOf(needle, at + needle.length)) {
        places.push([starts[at] ?? 0, ends[at + needle.length - 1] ?? text.length]);
      }
    }
    return places;
  }
}

/** Pattern of the plain secret. A short secret matches only as a separate word. */
function literal(text: string): string {
  const exact = text.replaceAll(/[^\p{L}\p{N}]/gu, each => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`);
  return text.trim().length < ANYWHERE_MIN ? String.raw`(?<![\p{L}\p{N}_])${exact}(?![\p{L}\p{N}_])` : exact;
}

/**
 * The base64 forms of a text that follows 3n, 3n + 1 or 3n + 2 other bytes. Characters at the edges are left out if
 * they also encode bits of the other bytes.
 */
function withinBase64(text: string): string[] {
  if (text.length < MIDDLE_MIN) return [];
  return [0, 1, 2].map(before => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
}

/** The ranges in order. Overlapping and adjacent ranges are merged. */
function merged(places: readonly [number, number][]): [number, number][] {
  const all: [number, number][] = [];
  for (const [start, end] of places.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}
