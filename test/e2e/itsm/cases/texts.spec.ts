import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../support/test-app.js';
import { KINDS, startPlatforms, type Kind, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/** Title and description as the platform got them. */
function textsOf(kind: Kind, json: Answer['body']): { title: string; description: string } {
  if (kind === 'servicenow') return { title: json.short_description, description: json.description };
  return { title: json.fields.summary, description: JSON.stringify(json.fields.description) };
}

const LIMITS = { servicenow: [160, 4_000], jira: [255, 32_767] } as const;
const FACTS = 45;

describe.each(KINDS)('%s: texts', kind => {
  it('that are too long are cut between code points, with a mark and the link of the incident', async () => {
    const { platform, violate, settled, call, policyId } = await platforms.desk(kind);
    const names = Array.from({ length: FACTS }, (_, at) => `fact${at}`);
    // As many facts as fill more than Jira takes, of characters of two units each, at both parities.
    const attributes = Object.fromEntries(names.map((name, at) => [name, `${at % 2 ? 'x' : ''}${'🦊'.repeat(500)}`]));
    const conditions = Object.fromEntries(names.map(name => [`attributes.${name}`, { not_eq: 'none' }]));
    const name = `${'🐘'.repeat(120)} policy`;
    expect(await call('PUT', `/v1/policies/${policyId}`, { name, conditions })).toMatchObject({ status: 200 });
    await violate(undefined, { attributes });
    const [ticket] = await settled('created');
    const { title, description } = textsOf(kind, platform.posts()[0]?.json);
    const [titleMax, descriptionMax] = LIMITS[kind];
    expect([title.isWellFormed(), description.isWellFormed()]).toEqual([true, true]);
    expect(title.length).toBeLessThanOrEqual(titleMax);
    expect(title.length).toBeGreaterThan(titleMax - 12);
    expect(title).toMatch(/…/);
    expect(description.length).toBeLessThanOrEqual(descriptionMax);
    expect(description.length).toBeGreaterThan(descriptionMax * 0.9);
    expect(description).toMatch(/cut/);
    expect(description).toContain(`https://governance.example.com/v1/incidents/${ticket.incident_id}`);
  });

  it('of several lines, with control characters and with turns of direction are folded into one line', async () => {
    const { platform, violate, settled } = await platforms.desk(kind);
    await violate(undefined, { model: 'gpt\r\n4o\u2028\t\u0007\u202Efdp.exe\u2066 \u200Fend' });
    const [ticket] = await settled('created');
    const { title } = textsOf(kind, platform.posts()[0]?.json);
    expect(title).toMatch(/with openai\/gpt 4o fdp\.exe end$/);
    expect(ticket).toMatchObject({ error: null, degraded: [] });
  });
});
