import { randomUUID } from 'node:crypto';
import { createOpenApiDocument } from '#governance';
import { routesOf, type OpenApiDocument, type Route } from '../../../scripts/client/openapi.js';
import type { Answer, Call, TestApp } from '../../support/test-app.js';
import { namesSomething, pathTo, type ResourceIds } from './resource-ids.js';
import { idOf, putId, referencesOf, type Reference } from './references.js';
import { exampleOf, withoutIds } from './route-matrix.js';

/** A caller that names resources of another organization. */
export interface Intruder {
  call: Call;
  /**
   * The resources of the intruder's own organization. With them, everything in a request except one reference is valid.
   */
  own: ResourceIds;
}

/**
 * Names resources of another organization in every reference field and parameter of the OpenAPI document, one at a
 * time. Returns the requests whose answer reveals more than with an unknown id, and the references that were not tried.
 */
export async function foreignReferences(
  app: TestApp,
  { call, own }: Intruder,
  resourceIds: ResourceIds,
): Promise<{ surprises: string[]; tried: string[] }> {
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(app.app))) as OpenApiDocument;
  const [surprises, tried]: [string[], string[]] = [[], []];
  // Reads come first, because they would contain decisions about unknown users.
  const routes = routesOf(document).toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'));
  for (const route of routes) {
    const { found, unknown } = referencesOf(route, document);
    surprises.push(...unknown.map(name => `${name}: looks like a reference, and references.ts does not know it`));
    for (const reference of found) {
      const name = `${route.method} ${route.path} ${reference.path.join('.')}`;
      const send = (ids: ResourceIds | null): Promise<Answer> => requestOf(route, found, reference, own, ids)(call);
      const [nothing, theirs] = [told(await send(null)), told(await send(resourceIds))];
      tried.push(name);
      if (theirs !== nothing) {
        surprises.push(`${name}: ${theirs.slice(0, 300)} tells more than ${nothing.slice(0, 300)}`);
      }
    }
  }
  return { surprises, tried };
}

/** Reads every list as the intruder. Returns the lists that show data of the other organization. */
export async function foreignLists(app: TestApp, { call }: Intruder, resourceIds: ResourceIds): Promise<string[]> {
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(app.app))) as OpenApiDocument;
  const ids = Object.values(resourceIds).filter(id => id.length === randomUUID().length);
  const surprises: string[] = [];
  for (const { method, path } of routesOf(document)) {
    if (method !== 'GET' || namesSomething(path)) continue;
    const { text } = await call(method, pathTo(path, {}));
    const shown = ids.filter(id => text.includes(id));
    if (shown.length > 0) surprises.push(`${method} ${path}: shows ${shown.join()}`);
  }
  return surprises;
}

/** A request in which one reference is taken from `ids` or unknown. All other references are the intruder's own. */
function requestOf(
  route: Route,
  references: readonly Reference[],
  one: Reference,
  own: ResourceIds,
  ids: ResourceIds | null,
): (call: Call) => Promise<Answer> {
  const { method } = route;
  const path = pathTo(route.path, own);
  if (one.place === 'query') {
    const [body, headers] = exampleOf(route);
    return call => call(method, `${path}?${one.path[0]}=${idOf(one, ids)}`, body, headers);
  }
  const [text = '{}', headers] = exampleOf(route);
  // Creates new keys and event ids: an idempotency key cannot be used for another request, and an event id counts only
  // once.
  const body: unknown = JSON.parse(String(text), (name, value: unknown) =>
    name === 'idempotency_key' ? undefined : value,
  );
  for (const each of references) {
    if (each.place === 'body' && isIn(body, each)) putId(body, each, idOf(each, own));
  }
  putId(body, one, idOf(one, ids));
  renewEvents(body);
  return call => call(method, path, JSON.stringify(body), headers ?? { 'content-type': 'application/json' });
}

/** The content of an answer without its ids and times. */
function told(answer: Answer): string {
  return withoutIds(answer).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

/** Whether the example contains the reference. */
function isIn(body: unknown, { path }: Reference): boolean {
  let at = body;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = Reflect.get(at, step === '[]' ? '0' : step);
  }
  return at !== undefined;
}

function renewEvents(body: unknown): void {
  const events: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'events') : undefined;
  if (!Array.isArray(events)) return;
  for (const event of events) if (typeof event === 'object' && event !== null) Reflect.set(event, 'id', randomUUID());
}
