import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { SEVERITIES, type JsonObject } from '#core';
import { formFaults } from '#itsm';
import { draftOf, frozen, LONG_PAYLOAD, textsIn } from './drafts.js';
import { isShownAsItIs, MARKUP } from './markup.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

/**
 * Characters that a single line must not contain: line breaks, control characters, and those that change the direction
 * of writing.
 */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const NO_ADDRESSES = [
  'https://127.0.0.1:99999',
  'https://[::1',
  'https://%00',
  'https://a|b',
  'https://a:b:c',
  'https://',
];

const FORM_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

/** Rules for the metadata of an adapter, and for the tickets that it renders. */
export const FORM_RULES: Record<string, Rule> = {
  'has a kind and a title': async ({ adapter }) => {
    ok(/^[a-z][a-z0-9_-]{0,62}$/.test(adapter.kind), `kind is a short word in lower case: ${adapter.kind}`);
    ok(adapter.title.trim() !== '', 'title is a name for people');
  },
  'has JSON Schemas for settings and secrets, which accept valid values and refuse others': async ({
    adapter,
    ground,
  }) => {
    for (const [name, schema, value] of [
      ['settings', adapter.settingsSchema, ground.settings],
      ['secrets', adapter.secretsSchema, ground.secrets],
    ] as const) {
      const fits = compiled(name, schema);
      ok(fits(value), `the ${name} of the ground fit: ${JSON.stringify(fits.errors)}`);
      ok(!fits({ ...value, unheard_of: 'x' }), `${name} refuse what they do not know: "additionalProperties": false`);
      const asked = Object.entries(propertiesOf(schema));
      const objects = new Set(asked.filter(([, { type }]) => type === 'object').map(([field]) => field));
      for (const field of Object.keys(value)) {
        const wrong = objects.has(field) ? 'x' : {};
        ok(!fits({ ...value, [field]: wrong }), `${name}.${field} refuses ${JSON.stringify(wrong)}`);
      }
      deepEqual(
        asked.filter(([, property]) => typeof property['title'] !== 'string').map(([field]) => field),
        [],
        `each of the ${name} has a title for the form`,
      );
    }
  },
  'has settings that a form can show, and secrets that are texts': async ({ adapter }) => {
    isShown(adapter.settingsSchema, 'settings');
    for (const [name, { type }] of Object.entries(propertiesOf(adapter.secretsSchema))) {
      equal(type, 'string', `secrets.${name} is a text: other secrets are not found in what a platform says`);
    }
    for (const name of adapter.bodySecrets ?? []) {
      ok(Object.hasOwn(propertiesOf(adapter.secretsSchema), name), `bodySecrets name a secret: ${name}`);
    }
  },
  'refuses invalid addresses by its schema': async stage => {
    const { adapter, ground } = stage;
    const addresses = Object.entries(ground.settings).filter(
      ([, value]) => typeof value === 'string' && value.startsWith('https://'),
    );
    if (addresses.length === 0) return stage.skip('no setting is an address');
    for (const [field] of addresses) {
      for (const url of NO_ADDRESSES) {
        const faults = formFaults(adapter.settingsSchema, { ...ground.settings, [field]: url }, 'settings');
        ok(faults.length > 0, `settings.${field} refuses ${url}: "format": "uri", or form.url()`);
      }
    }
  },
  'returns its origins as https://host[:port]': async ({ adapter, ground }) => {
    const origins = adapter.origins(ground.settings);
    ok(origins.length > 0, 'there is an origin');
    for (const origin of origins) equal(origin, `https://${URL.parse(origin)?.host}`, 'an origin, without a path');
  },
  'renders a ticket from the draft and the settings only, and changes neither': async stage => {
    const [draft, settings] = [frozen(draftOf()), frozen(structuredClone(stage.ground.settings))];
    const first = stage.adapter.render(draft, settings);
    await new Promise(done => setTimeout(done, 5));
    deepEqual(stage.ground.newAdapter().render(draft, settings), first, 'the same again, by another instance, later');
    deepEqual(JSON.parse(JSON.stringify(first)), first, 'what is rendered is JSON');
    equal(stage.asked.length, 0, 'nothing is asked');
  },
  'shows and sends the whole payload, the link, and labels if the platform has them': async stage => {
    for (const link of [draftOf().link, null]) {
      const draft = draftOf({ link });
      await stage.created(draft);
      const rendered = stage.render(draft);
      const json = [JSON.stringify(draft.payload, null, 2), JSON.stringify(draft.payload)];
      const texts = { shown: [rendered.description], sent: textsIn(stage.sent) };
      for (const [what, all] of Object.entries(texts)) {
        ok(
          all.some(text => json.some(whole => text.includes(whole))),
          `the payload is ${what} whole, as JSON`,
        );
        if (link !== null) ok(JSON.stringify(all).includes(link), `the link is ${what}`);
      }
      ok(textsIn(stage.sent).includes(rendered.title), 'the title is sent as it is shown');
      if (!stage.adapter.capabilities.labels) continue;
      for (const label of draft.labels) {
        ok(rendered.labels.includes(label), `the label ${label} is shown`);
        // Some platforms accept labels as one text, separated by commas or semicolons.
        const isSent = textsIn(stage.sent).some(text => text === label || text.split(/[,;]\s*/).includes(label));
        ok(isSent, `the label ${label} is sent`);
      }
    }
  },
  'shows and sends the text of the connector’s template, every line of it': async stage => {
    const lines = ['Handled by the desk of Security', 'Extension 4711 at night'];
    const draft = draftOf({ text: lines.join('\n') });
    await stage.created(draft);
    const { description } = stage.render(draft);
    for (const line of lines) {
      ok(description.includes(line), `“${line}” is shown in ${description}`);
      ok(
        textsIn(stage.sent).some(text => text.includes(line)),
        `“${line}” is sent`,
      );
    }
  },
  'truncates texts to the limits of the platform, between characters, with a mark, and keeps the link': async stage => {
    const { limits, cutMark = /\bcut\b/ } = stage.ground;
    // The additional unit shifts all characters by one offset, so a cut between two units splits a character in one of
    // the two cases.
    for (const pad of ['', 'x']) {
      const draft = draftOf({ title: pad + '\u{1F600}'.repeat(1_000), payload: { pad, ...LONG_PAYLOAD } });
      const ref = await stage.created(draft);
      const { title, description } = stage.render(draft);
      equalOrLess(title.length, limits.title, 'the title');
      equalOrLess(description.length, limits.description, 'the description');
      ok(description.length > limits.description / 4, 'the description uses the room there is');
      ok(cutMark.test(description), `the description shows that it was cut: ${cutMark}`);
      ok(description.includes(draft.link ?? ''), 'the link to the incident stays');
      for (const text of [title, description, ...textsIn(stage.sent)]) ok(text.isWellFormed(), 'no half characters');
      ok(ref.externalTicketId !== '', 'the platform takes it');
    }
  },
  'replaces line breaks, invisible and direction characters in the title, and keeps its words': async stage => {
    const title =
      '[One]\r\ntwo\n\u2028three\u2029 \u0007four\u0000 \u202Efive\u202C \u2066six\u2069 \u0085seven\u{1F600}';
    const draft = draftOf({ title: `${title}\ud800` });
    await stage.created(draft);
    const shown = stage.render(draft).title;
    ok(!NOT_IN_A_LINE.test(shown), `no such character in ${JSON.stringify(shown)}`);
    ok(shown.isWellFormed(), 'no half characters');
    for (const word of ['[One]', 'two', 'three', 'four', 'five', 'six', 'seven\u{1F600}']) {
      ok(shown.includes(word), `${word} is still in ${shown}`);
    }
  },
  'sends texts so that the platform shows them unchanged and without markup': async stage => {
    const draft = draftOf({ text: `Look:\n\`\`\`\n${MARKUP}`, payload: { text: MARKUP } });
    await stage.created(draft);
    const { title, labels } = stage.render(draft);
    const texts = textsIn(stage.sent).filter(text => text !== title && !labels.includes(text));
    isShownAsItIs(stage.ground.shows ?? 'html', texts, 'the description');
  },
  'sends a create with the content type that the platform reads': async stage => {
    await stage.created(draftOf());
    const { headers = {} } = stage.creating.at(-1) ?? {};
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
    const { contentType = 'application/json' } = stage.ground;
    equal(type?.split(';', 1)[0]?.trim() ?? 'application/json', contentType, 'the type of the content');
  },
  'maps the four severities to the expected values': async stage => {
    const { severity } = stage.ground;
    const told = SEVERITIES.map(each => severity.expected[each]);
    for (const [at, each] of told.entries()) {
      for (const other of told.slice(at + 1)) notDeepEqual(each, other, 'the ground expects four different things');
    }
    for (const each of SEVERITIES) {
      await stage.created(draftOf({ severity: each }));
      deepEqual(severity.in(stage.sent), severity.expected[each], each);
    }
  },
};

function propertiesOf(schema: JsonObject): Record<string, JsonObject> {
  // Whether the schema is valid is checked elsewhere.
  return (schema['properties'] ?? {}) as Record<string, JsonObject>;
}

/** Checks that each field has a type with a form control. An object without properties is entered as JSON. */
function isShown(schema: JsonObject, path: string): void {
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const { type, enum: choices } = property;
    const isKnown = typeof type === 'string' && FORM_TYPES.includes(type);
    ok(isKnown || Array.isArray(choices), `${path}.${name} has an enum, or one of the types ${FORM_TYPES.join(', ')}`);
    if (type === 'object') isShown(property, `${path}.${name}`);
  }
}

function compiled(name: string, schema: JsonObject): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ok(ajv.validateSchema(schema), `the schema of ${name} is a JSON Schema: ${ajv.errorsText()}`);
  equal(schema['type'], 'object', `${name} are an object`);
  return ajv.compile(schema);
}

function equalOrLess(length: number, limit: number, what: string): void {
  ok(length <= limit, `${what} has ${length} of at most ${limit} characters`);
}
