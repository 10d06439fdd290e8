import type { OpenApiDocument, Route, Schema } from '../../../scripts/client/openapi.js';
import type { ResourceIds } from './resource-ids.js';

/** A query parameter or a field of a body that names a resource of an organization. */
export interface Reference {
  place: 'query' | 'body';
  /** Names from the root of the body; `[]` is the first element of a list. A parameter has one name. */
  path: readonly string[];
}

/** The kinds that fields and parameters name, by the path segment before the id. */
const KINDS: Readonly<Record<string, string>> = {
  user_id: '/v1/users/',
  policy_id: '/v1/policies/',
  budget_id: '/v1/budgets/',
  incident_id: '/v1/incidents/',
  incident_ids: '/v1/incidents/',
  ids: '/v1/incidents/',
  connector_id: '/v1/itsm/connectors/',
  device_id: '/v1/devices/',
  decision_id: '/v1/decisions/',
  actor_id: '/v1/users/',
  issued_by: '/v1/users/',
  resource_id: '/v1/policies/',
  'subject.id': '/v1/users/',
  'routing.policies': '/v1/policies/',
  'incidents.policies': '/v1/policies/',
  'approvals.policies': '/v1/policies/',
};

/** The kind of a reference, by its name, or by its name and that of the enclosing object. */
function kindOf(path: readonly string[]): string | undefined {
  return [path.slice(-2).join('.'), path.at(-1) ?? ''].find(name => Object.hasOwn(KINDS, name));
}

/** Fields that look like references but are none. */
const NO_REFERENCES: Readonly<Record<string, string>> = {
  'GET /v1/deliveries event_id': 'narrows a list of the caller’s own deliveries',
  'GET /v1/webhooks/{id}/deliveries event_id': 'narrows a list of the caller’s own deliveries',
  'POST /access/v1/evaluation resource.id': 'the name of a model',
  'POST /access/v1/evaluations resource.id': 'the name of a model',
  'POST /access/v1/evaluations evaluations.[].resource.id': 'the name of a model',
  'POST /v1/integrations/litellm/beta/litellm_basic_guardrail_api litellm_call_id': 'of the call, which LiteLLM makes',
  'POST /v1/integrations/claude-code/hook tool_use_id': 'of the tool call, which Claude Code makes',
  'POST /v1/usage/events events.[].id': 'of the event that is made',
  'POST /v1/itsm/connectors routing.policies': 'kept as it is given: the id of nothing lets nothing through',
  'POST /v1/chat/workspaces notifications.incidents.policies': 'kept as it is given, like those of connectors',
  'POST /v1/chat/workspaces notifications.approvals.policies': 'kept as it is given, like those of connectors',
  'POST /v1/integrations/itsm/webhook/{org_id} external_ticket_id': 'of the ticket platform',
  'POST /v1/integrations/itsm/webhook/{org_id} platform_id': 'of the ticket platform',
  'POST /v1/integrations/itsm/webhook/{org_id} event_id': 'of the report, which the ticket platform makes',
};

/** Every reference of a route, and unknown fields that look like references. */
export function referencesOf(route: Route, { components }: OpenApiDocument): { found: Reference[]; unknown: string[] } {
  const all: Reference[] = [];
  for (const { name, in: place, schema = {} } of route.operation.parameters ?? []) {
    if (place === 'query' && looksLikeOne(name, schema)) all.push({ place: 'query', path: [name] });
  }
  const walk = (schema: Schema | undefined, path: readonly string[], seen: readonly string[]): void => {
    if (!schema) return;
    const { $ref } = schema;
    if ($ref !== undefined) {
      if (!seen.includes($ref)) walk(components.schemas[$ref.split('/').at(-1) ?? ''], path, [...seen, $ref]);
      return;
    }
    for (const part of [...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) walk(part, path, seen);
    walk(schema.items, [...path, '[]'], seen);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (looksLikeOne(name, field)) all.push({ place: 'body', path: [...path, name] });
      else walk(field, [...path, name], seen);
    }
  };
  const [media] = Object.values(route.operation.requestBody?.content ?? {});
  walk(media?.schema, [], []);
  const nameOf = ({ path }: Reference): string => `${route.method} ${route.path} ${path.join('.')}`;
  const references = all.filter(each => !Object.hasOwn(NO_REFERENCES, nameOf(each)));
  const isKnown = ({ path }: Reference): boolean => kindOf(path) !== undefined;
  return { found: references.filter(isKnown), unknown: references.filter(each => !isKnown(each)).map(nameOf) };
}

function looksLikeOne(name: string, { format, items }: Schema): boolean {
  return Object.hasOwn(KINDS, name) || /(^|_)ids?$/.test(name) || format === 'uuid' || items?.format === 'uuid';
}

/** The id of an existing resource for the reference, or an unknown id. */
export function idOf({ path }: Reference, resourceIds: ResourceIds | null): string {
  return resourceIds?.[KINDS[kindOf(path) ?? ''] ?? ''] ?? '00000000-0000-4000-8000-000000000000';
}

/** Sets an id at the reference, and creates missing objects on the path. */
export function putId(body: unknown, { path }: Reference, id: string): void {
  let at = body;
  for (const [depth, step] of path.entries()) {
    const key = step === '[]' ? '0' : step;
    if (typeof at !== 'object' || at === null) return;
    if (depth === path.length - 1) {
      Reflect.set(at, key, step.endsWith('ids') || step === 'policies' ? [id] : id);
      return;
    }
    if (Reflect.get(at, key) === undefined) Reflect.set(at, key, path[depth + 1] === '[]' ? [] : {});
    at = Reflect.get(at, key);
  }
}
