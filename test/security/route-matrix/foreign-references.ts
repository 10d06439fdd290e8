import type { Answer, Call, TestApp } from '../../support/test-app.js';
import { namesSomething, pathToNothing, type Belongings } from './belongings.js';
import { documentedRoutes, exampleOf, withoutIds } from './route-matrix.js';

/**
 * Names things of another organization in bodies and queries. What tells more than the same request with ids of nothing.
 */
export async function foreignReferences(app: TestApp, intruder: Call, belongings: Belongings): Promise<string[]> {
  const surprises: string[] = [];
  const compare = async (route: string, send: (ids: Belongings | null) => Promise<Answer>): Promise<void> => {
    const [nothing, theirs] = [withoutIds(await send(null)), withoutIds(await send(belongings))];
    if (theirs !== nothing)
      surprises.push(`${route}: ${theirs.slice(0, 300)} tells more than ${nothing.slice(0, 300)}`);
  };
  // Reads first: decisions about people of nothing would be in them.
  const routes = documentedRoutes(app).toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'));
  for (const found of routes) {
    const { method, path: template, operation } = found;
    if (namesSomething(template)) continue;
    const path = pathToNothing(template);
    for (const { name, in: place } of operation.parameters ?? []) {
      if (place !== 'query' || REFERENCES[name] === undefined) continue;
      await compare(`${method} ${path}?${name}`, ids => intruder(method, `${path}?${name}=${idFor(name, ids)}`));
    }
    const [body, headers] = exampleOf(found);
    if (typeof body !== 'string' || !Object.keys(REFERENCES).some(name => body.includes(`"${name}"`))) continue;
    await compare(`${method} ${path}`, ids => intruder(method, path, withIds(body, ids), headers));
  }
  return surprises;
}

/** Fields and parameters that name something, and what. */
const REFERENCES: Readonly<Record<string, string>> = {
  user_id: '/v1/users/',
  policy_id: '/v1/policies/',
  incident_id: '/v1/incidents/',
  incident_ids: '/v1/incidents/',
  ids: '/v1/incidents/',
  connector_id: '/v1/itsm/connectors/',
  device_id: '/v1/devices/',
  decision_id: '/v1/decisions/',
  actor_id: '/v1/users/',
  resource_id: '/v1/policies/',
};

function idFor(name: string, ids: Belongings | null): string {
  return ids?.[REFERENCES[name] ?? ''] ?? '00000000-0000-4000-8000-000000000000';
}

/** JSON text in which every reference names what is given. */
function withIds(text: string, ids: Belongings | null): string {
  const swapped: unknown = JSON.parse(text, (name, value: unknown) => {
    // A key that was used for one request is refused for another.
    if (name === 'idempotency_key') return undefined;
    if (REFERENCES[name] === undefined) return value;
    return Array.isArray(value) ? [idFor(name, ids)] : idFor(name, ids);
  });
  return JSON.stringify(swapped);
}
