import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { describeWhere } from '../../../../test/support/describe-where.js';
import { adfTexts } from '../../../../test/support/itsm/adf-texts.js';
import { adfDefects } from '../../../../test/support/itsm/adf-defects.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { describeIssue } from './adf.js';

const KEY = '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33';
const LINK = 'https://governance.example.com/incidents/1';

/** Drafts that lead to every kind of document. */
const DRAFTS: Pick<TicketDraft, 'key' | 'link' | 'payload'>[] = [
  { key: KEY, link: LINK, payload: { user: 'ada@example.com' } },
  { key: KEY, link: null, payload: {} },
  { key: KEY, link: LINK, payload: { text: '"'.repeat(50_000) } },
];

/**
 * Texts that may break a document: empty and long texts, invisible characters, halves of surrogate pairs, markup of
 * other formats.
 */
const HARD_TEXTS = [
  ...['', ' ', '\r\n\u2028\u2029', '\0\u0007\u001b', '\u202e\u2066\u200f', '\ufeff\ufffe\uffff', '\ud800', 'a\udc00'],
  ...['{code}{noformat}h1. *b*', '```', '<b>&amp;]]>', '{"version":1,"type":"doc","content":[]}', '… [cut]'],
  ...['"', '\\', '\0', '\ud83d', '🦊', 'e\u0301', '👨‍👩‍👧'].map(part => part.repeat(20_000)),
];

describe('describeIssue', () => {
  it('creates a document that Jira accepts from any payload', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.string({ minLength: 1, unit: 'binary' }), fc.nat(20_000))
        .map(([part, times]) => part.repeat(times / 4)),
    );
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 3 }), fc.boolean(), (payload, hasLink) => {
        const { adf, text: shown } = describeIssue({ key: KEY, link: hasLink ? LINK : null, payload });
        expect(adfDefects(adf)).toEqual([]);
        expect(JSON.stringify(adf).length).toBeLessThanOrEqual(32_767);
        expect([shown, ...adfTexts(adf)].filter(each => !each.isWellFormed())).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('shows the payload unchanged', () => {
    const { adf, text } = describeIssue({ key: KEY, link: LINK, payload: { model: 'gpt-4o' } });
    expect(text).toBe(`Incident: ${LINK}\n\n{\n  "model": "gpt-4o"\n}\n\nReference: ${KEY}`);
    expect(JSON.stringify(adf)).toContain(JSON.stringify('{\n  "model": "gpt-4o"\n}'));
  });

  it('truncates a payload between characters, wherever the limit falls', () => {
    // The additional unit shifts all characters by one offset, so code that truncates within a surrogate pair fails in
    // one of the two cases.
    const sizes = ['', 'x'].map(pad => {
      const { adf, text } = describeIssue({ key: KEY, link: LINK, payload: { pad, text: '🦊'.repeat(20_000) } });
      const texts = adfTexts(adf);
      expect([text, ...texts].filter(each => !each.isWellFormed())).toEqual([]);
      expect(texts.map(each => each.slice(-10))).toContainEqual(expect.stringMatching(/🦊\n… \[cut\]$/u));
      return JSON.stringify(adf).length;
    });
    // In one of the cases, the limit is within a character, which leaves one unit free. JSON encodes half a surrogate
    // pair with six characters. Code that cuts within a pair would therefore lose more than one unit.
    expect(Math.max(...sizes) - Math.min(...sizes)).toBe(1);
  });

  it('says above a truncated payload that it was truncated', () => {
    const { text } = describeIssue({ key: KEY, link: LINK, payload: { text: 'x'.repeat(40_000) } });
    expect(text).toMatch(/^Incident: .*\n\nThe payload exceeds Jira’s limit and was truncated\.\n\n\{/);
    expect(text).toMatch(new RegExp(`… \\[cut\\]\n\nReference: ${KEY}$`));
  });
});

// The schema file is dist/json-schema/v1/full.json in the package @atlaskit/adf-schema (`npm pack`). The package is
// made for an editor, so it is not a dependency.
const schemaFile = process.env['ADF_SCHEMA'];
const missing = schemaFile === undefined && 'ADF_SCHEMA names no file';
describeWhere(missing, 'by Atlassian’s own schema', () => {
  it('creates valid documents', () => {
    // The schema is of JSON Schema draft 4. It uses only keywords that later drafts also have.
    const { $schema: _, ...schema } = JSON.parse(readFileSync(schemaFile ?? '', 'utf8')) as JsonObject;
    const fits = new Ajv({ strict: false }).compile(schema);
    for (const draft of DRAFTS) expect(fits(describeIssue(draft).adf)).toBe(true);
    for (const text of HARD_TEXTS) {
      for (const payload of [{ text }, { [text]: [text, { text }] }]) {
        // The document as it is after serialization.
        const sent: unknown = JSON.parse(JSON.stringify(describeIssue({ key: KEY, link: LINK, payload }).adf));
        expect({ text: text.slice(0, 20), fits: fits(sent) }).toEqual({ text: text.slice(0, 20), fits: true });
      }
    }
    const nothing = { type: 'text', text: '' };
    for (const content of [nothing, { type: 'codeBlock', content: [nothing] }]) {
      expect(fits({ version: 1, type: 'doc', content: [content] })).toBe(false);
    }
  });
});
