import type { Json, JsonObject, Severity } from '#core';

/** Names that templates may use, with a description of their values. */
export const TEMPLATE_NAMES = {
  title: 'the title without a template',
  severity: 'critical, high, medium or low',
  policy: 'the name of the policy',
  action: 'what the policy does: block or alert',
  summary: 'the summary of an anomaly',
  person: 'the e-mail address of the person, or the id',
  department: 'the department of the person',
  provider: 'the provider, such as openai',
  model: 'the model, such as gpt-4o',
  link: 'the URL of the incident',
} as const;

/** One of {@link TEMPLATE_NAMES}. */
export type TemplateName = keyof typeof TEMPLATE_NAMES;

/** Templates of a connector. This is a type alias, because TypeScript does not accept an interface as JSON. */
export type Templates = { title_template?: string; text_template?: string };

/** Maximum length of an inserted value, in code points. */
const VALUE_MAX = 500;

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The fault of a template; undefined if it is valid. */
export function templateFault(template: string): string | undefined {
  const unknown = [...template.matchAll(PLACE)].map(([, name = '']) => name).filter(name => !isName(name));
  const names = Object.keys(TEMPLATE_NAMES).join(', ');
  // The fault may quote the template, which does not contain data of events.
  if (unknown.length > 0) return `must only use the names ${names}; ${JSON.stringify(unknown[0])} is none`;
  const rest = template.replaceAll(PLACE, '');
  if (rest.includes('{{') || rest.includes('}}')) return `must close every {{ with }}; names are ${names}`;
  return undefined;
}

/** Fields of a ticket draft that templates can use. */
interface Templated {
  readonly title: string;
  readonly severity: Severity;
  readonly payload: JsonObject;
  readonly link: string | null;
}

/** Applies the connector's templates to title and text. Inserted values are not expanded again. */
export function withTemplates<Draft extends Templated>(draft: Draft, settings: JsonObject): Draft & { text?: string } {
  const { title_template: title, text_template: text } = settings;
  if (typeof title !== 'string' && typeof text !== 'string') return draft;
  const values = valuesOf(draft);
  return {
    ...draft,
    ...(typeof title === 'string' && { title: filled(title, values) || draft.title }),
    ...(typeof text === 'string' && { text: filled(text, values) }),
  };
}

function filled(template: string, values: Readonly<Record<TemplateName, string>>): string {
  return template.replaceAll(PLACE, (_place, name: string) => (isName(name) ? cut(values[name]) : '')).trim();
}

function valuesOf({ title, severity, payload, link }: Templated): Record<TemplateName, string> {
  const details = objectOf(payload['details']);
  const text = (...values: (Json | undefined)[]): string =>
    values.filter(value => typeof value === 'string').find(value => value !== '') ?? '';
  return {
    ...{ title, severity, link: link ?? '' },
    policy: text(details['policy_name']),
    action: text(details['policy_action'], details['action']),
    summary: text(details['summary']),
    person: text(details['user_email'], payload['user_email'], payload['user_id']),
    department: text(details['department']),
    provider: text(payload['provider'], details['provider']),
    model: text(payload['model'], details['model']),
  };
}

function isName(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATE_NAMES, name);
}

/** Truncates by code points, so that no character is split. */
function cut(text: string): string {
  const points = Array.from(text.toWellFormed());
  return points.length <= VALUE_MAX ? text.toWellFormed() : `${points.slice(0, VALUE_MAX - 1).join('')}…`;
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
