import { ROLES, type Role } from '#access';
import { createOpenApiDocument } from '#governance';
import { OPEN_ROUTES, type AccessRule } from '../../docs/access-reference.js';
import { routesOf, type OpenApiDocument, type Route } from '../../../scripts/client/openapi.js';
import type { Answer, Call, TestApp } from '../../support/test-app.js';
import { namesSomething, pathTo, pathToNothing, type ResourceIds } from './resource-ids.js';
import type { RoleCredentials } from './credentials.js';

/** Invalid credentials, by the name in the report. */
const REFUSED: Record<string, string | null> = {
  'no credential': null,
  'a word that is no token': 'gov_nothing',
  'a JWT of nobody': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
};

/**
 * Routes that no document contains: unsupported parts of SCIM, and further paths of providers. Two of these routes need
 * no credential: the metadata of AuthZEN, and the start request of Claude Code.
 */
const HIDDEN_ROUTES =
  /^(ALL \/(scim\/v2|gateway)(\/|$)|GET \/gateway\/\{name\}\/\{path\}$|HEAD \/gateway\/\{name\}\/api\/hello$|GET \/\.well-known\/authzen-configuration$)/;

/** The access rules of {@link HIDDEN_ROUTES}. With them, the tests call these routes, too. */
export const HIDDEN_RULES: readonly AccessRule[] = [
  ...['Bulk', 'Me', 'Anything'].flatMap(path =>
    ['GET', 'POST', 'DELETE'].map((method): AccessRule => ({
      route: `${method} /scim/v2/${path}`,
      scopes: ['scim:write'],
      further: [],
      roles: ['admin', 'scim'],
    })),
  ),
  ...['GET /gateway/nobody/models', 'GET /gateway/nobody/v1/models', 'POST /gateway/nobody/v1/chat/completions'].map(
    (route): AccessRule => ({
      route,
      scopes: ['gateway:call'],
      further: [],
      roles: ['admin', 'agent', 'member'],
    }),
  ),
];

/** Routes of an application in its OpenAPI document. */
export function documentedRoutes({ app }: TestApp): Route[] {
  return routesOf(JSON.parse(JSON.stringify(createOpenApiDocument(app))) as OpenApiDocument);
}

/** The errors of the documents: missing routes, and routes without a rule. */
export function undocumented(app: TestApp, rules: readonly AccessRule[]): string[] {
  const documented = documentedRoutes(app).map(({ method, path }) => `${method} ${path}`);
  const known = new Map(rules.map(rule => [rule.route, rule]));
  const surprises = [
    ...mountedRoutes(app)
      .filter(route => !documented.includes(route) && !HIDDEN_ROUTES.test(route))
      .map(route => `${route}: is served and not in the OpenAPI document`),
    ...documented.filter(route => !known.has(route)).map(route => `${route}: is not in docs/reference/access.md`),
    ...rules
      .filter(({ route }) => !documented.includes(route))
      .map(({ route }) => `${route}: is documented, not served`),
  ];
  const closed = documentedRoutes(app).filter(({ operation }) => !operation['x-required-scopes']?.length);
  const undeclared = closed.map(({ method, path }) => `${method} ${path}`).filter(route => !OPEN_ROUTES[route]);
  return [...surprises, ...undeclared.map(route => `${route}: has no scope and is not declared as open`)];
}

/** Every route that Express serves. */
function mountedRoutes({ app }: TestApp): string[] {
  // Nest does not type the instance of its adapter. This is Express 5.
  const { router } = app.getHttpAdapter().getInstance() as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    const path = route?.path.replaceAll(/:(\w+)/g, '{$1}');
    // A route for all methods has dozens of entries.
    return methods.length > 5 ? [`ALL ${path}`] : methods.map(method => `${method.toUpperCase()} ${path}`);
  });
}

/** Whether a refusal has the common error body, that of SCIM (RFC 7644, section 3.12), or that of a provider. */
function isToldAs({ body }: Answer, error: string, status: number): boolean {
  if (body?.error === error || body?.error?.code === error) return true;
  return body?.status === String(status) && typeof body?.detail === 'string';
}

/** Calls every route with invalid credentials. Returns the answers that the rules do not allow. */
export async function refusedCredentials(
  app: TestApp,
  rules: readonly AccessRule[],
  credentials: ReadonlyMap<Role, RoleCredentials>,
): Promise<string[]> {
  const refused = new Map(Object.entries(REFUSED));
  for (const [role, { revoked, expired, suspended }] of credentials) {
    refused.set(`revoked ${role}`, revoked).set(`expired ${role}`, expired).set(`suspended ${role}`, suspended);
  }
  return eachRule(rules, async ({ route, scopes }, method, template) => {
    const path = pathToNothing(template);
    const plain = await app.as(null)(method, path);
    const surprises: string[] = [];
    for (const [name, token] of refused) {
      const answer = await app.as(token)(method, path);
      const { status, headers } = answer;
      const expected = scopes.length > 0 ? 401 : plain.status;
      const isTold =
        status !== 401 || (headers.get('www-authenticate') === 'Bearer' && isToldAs(answer, 'unauthorized', 401));
      if (status !== expected || status >= 500 || !isTold) surprises.push(`${route}, ${name}: ${status}`);
    }
    return surprises;
  });
}

/**
 * Calls every route with every role. Uses existing ids if the role may not call the route, and unknown ids if it may.
 */
export async function roles(
  app: TestApp,
  rules: readonly AccessRule[],
  credentials: ReadonlyMap<Role, RoleCredentials>,
  resourceIds: ResourceIds,
): Promise<string[]> {
  return eachRule(rules, async ({ route, scopes, roles: allowed }, method, template) => {
    const surprises: string[] = [];
    for (const role of ROLES) {
      const call = app.as(credentials.get(role)?.valid ?? null);
      const isAllowed = scopes.length === 0 || allowed.includes(role);
      const answer = await call(method, isAllowed ? pathToNothing(template) : pathTo(template, resourceIds));
      if (!isAllowed && (answer.status !== 403 || !isToldAs(answer, 'forbidden', 403))) {
        surprises.push(`${route}, ${role}: ${answer.status} instead of 403`);
      }
      // In SCIM, 501 refuses a feature that the server does not support.
      const isAnswer = answer.status < 500 || answer.status === 501;
      const isLetIn = isAnswer && (scopes.length === 0 || (answer.status !== 401 && answer.status !== 403));
      if (isAllowed && !isLetIn) surprises.push(`${route}, ${role}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    return surprises;
  });
}

/** Calls every route with ids of another organization, with every role of the other organization. */
export async function foreignIds(
  app: TestApp,
  rules: readonly AccessRule[],
  credentials: ReadonlyMap<Role, RoleCredentials>,
  resourceIds: ResourceIds,
): Promise<string[]> {
  const bodies = new Map(documentedRoutes(app).map(route => [`${route.method} ${route.path}`, exampleOf(route)]));
  return eachRule(rules, async ({ route, scopes, roles: allowed }, method, template) => {
    if (scopes.length === 0 || !namesSomething(template)) return [];
    const surprises: string[] = [];
    for (const role of allowed) {
      const call = app.as(credentials.get(role)?.foreign ?? null);
      const send = (path: string): Promise<Answer> => call(method, path, ...(bodies.get(route) ?? []));
      const [theirs, nothing] = [await send(pathTo(template, resourceIds)), await send(pathToNothing(template))];
      if (withoutIds(theirs) !== withoutIds(nothing)) {
        surprises.push(`${route}, foreign ${role}: ${withoutIds(theirs)} tells more than ${withoutIds(nothing)}`);
      }
      if (theirs.status !== 404) surprises.push(`${route}, foreign ${role}: ${theirs.status} instead of 404`);
    }
    return surprises;
  });
}

/** Reads all resources of the caller's own organization. This proves that a 404 in the other tests is a refusal. */
export async function ownIds(call: Call, rules: readonly AccessRule[], resourceIds: ResourceIds): Promise<string[]> {
  return eachRule(rules, async ({ route }, method, template) => {
    if (method !== 'GET' || !namesSomething(template)) return [];
    const { status } = await call(method, pathTo(template, resourceIds));
    return status === 200 ? [] : [`${route}, its own admin: ${status} instead of 200`];
  });
}

/** The body of the document's example, as the last arguments of a call. */
export function exampleOf({ operation }: Route): [body: unknown, headers: Record<string, string>] | [] {
  const [first] = Object.entries(operation.requestBody?.content ?? {});
  if (!first) return [];
  const [type, { example }] = first;
  return [typeof example === 'string' ? example : JSON.stringify(example), { 'content-type': type }];
}

/** The content of an answer without its ids. */
export function withoutIds({ status, text }: Answer): string {
  const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
  return `${status} ${text.replaceAll(ids, '<id>')}`;
}

/** The result of checking all rules. */
export async function eachRule(
  rules: readonly AccessRule[],
  check: (rule: AccessRule, method: string, template: string) => Promise<string[]>,
): Promise<string[]> {
  const surprises: string[] = [];
  for (const rule of rules) {
    const [method = '', template = ''] = rule.route.split(' ');
    surprises.push(...(await check(rule, method, template)));
  }
  return surprises;
}
