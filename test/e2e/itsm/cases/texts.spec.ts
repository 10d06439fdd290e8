import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adfTexts } from '../../../support/itsm/adf-texts.js';
import type { Answer } from '../../../support/test-app.js';
import { until } from '../../../support/webhooks.js';
import { KINDS, startPlatforms, type Kind, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/**
 * Title and texts of the description as the platform received them, and the size of the description as the platform
 * counts it.
 */
function textsOf(kind: Kind, json: Answer['body']): { title: string; texts: string[]; size: number } {
  if (kind === 'servicenow') {
    return { title: json.short_description, texts: [json.description], size: json.description.length };
  }
  const { summary, description } = json.fields;
  return { title: summary, texts: adfTexts(description), size: JSON.stringify(description).length };
}

const LIMITS = { servicenow: [160, 4_000], jira: [255, 32_767] } as const;

/** Long, because a request arrives late if other work slows the machine down. */
const TIMEOUT_MS = 30_000;

/** Enough attributes to exceed Jira's limit. Both platforms truncate inside the text of one of them. */
const FACTS = Array.from({ length: 45 }, (_, at) => `fact${at}`);

describe.each(KINDS)('%s: texts', kind => {
  it('that are too long are truncated between code points, with a mark and the link of the incident', async () => {
    const sent: { title: number; description: number }[] = [];
    // Tests both an even and an odd offset: without care, one of the two texts would be truncated inside a surrogate
    // pair.
    for (const pad of ['', 'x']) {
      const { platform, violate, settled, call, policyId } = await platforms.desk(kind);
      // The attributes come after two occurrences of the policy's name, whose pads add up to an even offset. A pad in
      // the first attribute makes the offset odd.
      const attributes = Object.fromEntries(FACTS.map((fact, at) => [fact, (at === 0 ? pad : '') + '🦊'.repeat(380)]));
      const conditions = Object.fromEntries(FACTS.map(fact => [`attributes.${fact}`, { not_eq: 'none' }]));
      const name = pad + '🐘'.repeat(250);
      expect(await call('PUT', `/v1/policies/${policyId}`, { name, conditions })).toMatchObject({ status: 200 });
      await violate(undefined, { attributes });
      // Waits for the request, whose text is checked before the platform has answered.
      const [post] = await until(async () => platform.posts().length > 0 && platform.posts(), TIMEOUT_MS);
      const { title, texts, size } = textsOf(kind, post?.json);
      expect([title, ...texts].filter(text => !text.isWellFormed())).toEqual([]);
      expect(title).toMatch(/🐘…(?: \[cut\])?$/u);
      expect(texts.map(text => text.slice(-10))).toContainEqual(expect.stringMatching(/🦊\n… \[cut\]$/u));
      const [ticket] = await settled('created');
      expect(texts.join('')).toContain(`https://governance.example.com/incidents/${ticket.incident_id}`);
      sent.push({ title: title.length, description: size });
    }
    const [titleMax, descriptionMax] = LIMITS[kind];
    const titles = sent.map(({ title }) => title).sort((a, b) => a - b);
    const [shorter = 0, longer = 0] = sent.map(({ description }) => description).sort((a, b) => a - b);
    // In one of the two runs, each limit falls inside a character. This character is left out, so the text is one unit
    // shorter.
    expect(titles).toEqual([titleMax - 1, titleMax]);
    expect(longer - shorter).toBe(1);
    expect(longer).toBeLessThanOrEqual(descriptionMax);
    expect(shorter).toBeGreaterThan(descriptionMax * 0.9);
  });

  it('of several lines, with control characters and with bidirectional controls become one line', async () => {
    const { platform, violate, settled } = await platforms.desk(kind);
    await violate(undefined, { model: 'gpt\r\n4o\u2028\t\u0007\u202Efdp.exe\u2066 \u200Fend' });
    const [ticket] = await settled('created');
    const { title } = textsOf(kind, platform.posts()[0]?.json);
    expect(title).toMatch(/: openai\/gpt 4o fdp\.exe end for /);
    expect(ticket).toMatchObject({ error: null, degraded: [] });
  });
});
