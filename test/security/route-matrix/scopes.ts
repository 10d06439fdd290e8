import { operatorActor, ROLE_SCOPES, SCOPES, TokenService } from '#access';
import type { AccessCondition, AccessRule } from '../../docs/access-reference.js';
import type { Answer, Call, TestApp } from '../../support/test-app.js';
import { pathTo, pathToNothing, type ResourceIds } from './resource-ids.js';
import { documentedRoutes, eachRule, exampleOf } from './route-matrix.js';

const SOMEBODY = '00000000-0000-4000-8000-000000000000';

/** A request that needs more scopes than other requests of its route. Includes the list of all further scopes. */
interface Conditional {
  body: object;
  scopes: readonly string[];
}

const TOKEN = { name: 'Narrow', role: 'admin', scopes: ['tokens:write'] };
const LINK = { platform: 'slack', workspace: 'T0MINE', account: 'U0MINE', user_id: SOMEBODY, role: 'member' };

/** By route: one request for each row of the table of scopes that only some requests need. */
const CONDITIONAL: Readonly<Record<string, readonly Conditional[]>> = {
  'POST /v1/tokens': [
    { body: { name: 'Agent', role: 'agent', scopes: ['decisions:write'] }, scopes: ['decisions:write'] },
    { body: { ...TOKEN, user_id: SOMEBODY }, scopes: ['users:write'] },
    { body: { ...TOKEN, limits: { requests_per_minute: 10 } }, scopes: ['budgets:write'] },
  ],
  'POST /v1/tokens/{id}/rotate': [{ body: {}, scopes: ['decisions:write', 'users:write'] }],
  'POST /v1/chat/links': [{ body: LINK, scopes: [...ROLE_SCOPES.member, 'users:write'] }],
  'POST /v1/users/{id}/offboard': [{ body: { revoke_machine_tokens: true }, scopes: ['tokens:write'] }],
  'POST /v1/incidents/{id}/tickets': [{ body: { preview: true }, scopes: ['incidents:read'] }],
  'PUT /v1/configuration': [
    { body: { version: 1, policies: [] }, scopes: ['policies:read', 'policies:write'] },
    { body: { version: 1, limits: [] }, scopes: ['budgets:read', 'budgets:write', 'users:read'] },
  ],
};

/** Bodies for routes whose example needs more than the basic scopes. Creating a link always needs more. */
const PLAIN: Readonly<Record<string, object | null>> = {
  'POST /v1/tokens': TOKEN,
  'POST /v1/chat/links': null,
  'POST /v1/users/{id}/offboard': {},
  'POST /v1/incidents/{id}/tickets': {},
  'PUT /v1/configuration': { version: 1 },
};

/**
 * Sends requests as an admin of the organization, with a token that has only these scopes and belongs to the user, if
 * given.
 */
type Narrow = (scopes: readonly string[]) => Promise<Call>;

function narrowIn(app: TestApp, orgId: string, userId?: string): Narrow {
  const calls = new Map<string, Call>();
  return async wanted => {
    const key = wanted.join();
    const scopes = SCOPES.filter(scope => wanted.includes(scope));
    const owner = userId === undefined ? {} : { userId };
    const request = { name: 'Narrowed', role: 'admin', scopes, ...owner } as const;
    const issue = () => app.app.get(TokenService).issueFor(operatorActor(orgId), request);
    const call = calls.get(key) ?? app.as((await issue()).token);
    calls.set(key, call);
    return call;
  };
}

const isLetIn = ({ status }: Answer): boolean => status !== 401 && status !== 403 && (status < 500 || status === 501);

/**
 * Calls every route with exactly the scopes of the page, in an organization in which everything may be created. With a
 * scope that ends in `:own`, the credential must belong to a user.
 */
export async function exact(
  app: TestApp,
  { orgId, userId }: { orgId: string; userId: string },
  rules: readonly AccessRule[],
): Promise<string[]> {
  const narrow = narrowIn(app, orgId, userId);
  const bodies = new Map(documentedRoutes(app).map(route => [`${route.method} ${route.path}`, exampleOf(route)]));
  return eachRule(rules, async ({ route, scopes, further }, method, template) => {
    if (PLAIN[route] === null) return [];
    const surprises: string[] = [];
    for (const scope of scopes) {
      const call = await narrow([scope, ...further]);
      const rest = PLAIN[route] === undefined ? (bodies.get(route) ?? []) : ([PLAIN[route]] as const);
      const answer = await call(method, pathToNothing(template), ...rest);
      if (!isLetIn(answer))
        surprises.push(`${route}, with ${[scope, ...further].join()}: ${answer.text.slice(0, 200)}`);
    }
    return surprises;
  });
}

/**
 * Calls every route without one of the scopes that it requires. If a route requires one of several scopes, the call has
 * none of these.
 */
export async function narrowed(
  app: TestApp,
  rules: readonly AccessRule[],
  resourceIds: ResourceIds,
): Promise<string[]> {
  const narrow = narrowIn(app, app.orgId);
  return eachRule(rules, async ({ route, scopes, further }, method, template) => {
    if (scopes.length === 0) return [];
    const surprises: string[] = [];
    for (const without of [scopes, ...further.map(scope => [scope])]) {
      const call = await narrow(SCOPES.filter(scope => !without.includes(scope)));
      const { status } = await call(method, pathTo(template, resourceIds));
      if (status !== 403) surprises.push(`${route}, an admin without ${without.join(', ')}: ${status} instead of 403`);
    }
    return surprises;
  });
}

/**
 * Sends the requests that need more scopes, once with exactly the documented scopes, and once without each of these
 * scopes.
 */
export async function conditional(
  app: TestApp,
  rules: readonly AccessRule[],
  conditions: readonly AccessCondition[],
  resourceIds: ResourceIds,
): Promise<string[]> {
  const narrow = narrowIn(app, app.orgId);
  const untried = conditions.filter(
    ({ route, scopes }) => !CONDITIONAL[route]?.some(each => scopes.every(scope => each.scopes.includes(scope))),
  );
  const undocumented = Object.keys(CONDITIONAL).filter(route => !conditions.some(each => each.route === route));
  const surprises = [
    ...untried.map(({ route, when }) => `${route}: no request is tried for "when ${when}"`),
    ...undocumented.map(route => `${route}: needs more for some requests, and the page does not say so`),
  ];
  const found = await eachRule(rules, async ({ route, scopes, further }, method, template) => {
    const wrong: string[] = [];
    for (const { body, scopes: more } of CONDITIONAL[route] ?? []) {
      const all = [...scopes, ...further, ...more];
      const answer = await (await narrow(all))(method, pathToNothing(template), body);
      if (!isLetIn(answer)) wrong.push(`${route}, with ${all.join()}: ${answer.text.slice(0, 200)}`);
      for (const left of more) {
        const call = await narrow(all.filter(scope => scope !== left));
        const { status } = await call(method, pathTo(template, resourceIds), body);
        if (status !== 403) wrong.push(`${route}, ${JSON.stringify(body)} without ${left}: ${status} instead of 403`);
      }
    }
    return wrong;
  });
  return [...surprises, ...found];
}
