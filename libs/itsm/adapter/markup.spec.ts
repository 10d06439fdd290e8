import { describe, expect, it } from '@jest/globals';
import { describeInHtml, describeInHtmlWithin } from './markup.js';
import { SAMPLE_DRAFT, type TicketDraft } from './ticket-draft.js';

const LINK = 'https://governance.example/incidents/1';
const draftOf = (text: string): TicketDraft => ({ ...SAMPLE_DRAFT, link: LINK, payload: { text } });

describe('describeInHtmlWithin', () => {
  it('returns the description as text and as HTML, and begins with the line', () => {
    const { description, html } = describeInHtmlWithin(draftOf('a < b'), 1_000, 'Reference: 1');
    expect(description).toBe(`Reference: 1\n\nIncident: ${LINK}\n\n{\n  "text": "a < b"\n}`);
    expect(html).toBe(describeInHtml(description));
  });

  it('begins without empty lines if no line is given', () => {
    expect(describeInHtmlWithin(draftOf('a'), 1_000, '').description).toMatch(/^Incident: /);
  });

  it.each([400, 401, 2_000, 32_000])('keeps the HTML within %i characters, and uses most of them', max => {
    const { description, html } = describeInHtmlWithin(draftOf('<'.repeat(40_000)), max, 'Reference: 1');
    expect(html.length).toBeLessThanOrEqual(max);
    expect(html.length).toBeGreaterThan(max * 0.7);
    expect(description).toContain('[cut]');
    expect(html).toContain(`<a href="${LINK}">`);
  });

  it('keeps only the line and the link if there is no room for more', () => {
    const { description } = describeInHtmlWithin(draftOf('a'.repeat(100)), 10, 'Reference: 1');
    expect(description).toContain('Reference: 1');
    expect(description).toContain(LINK);
  });
});
