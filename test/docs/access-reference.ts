import { ROLE_SCOPES, ROLES, SCOPES, type Role } from '#access';
import { routesOf, scopesOf, type OpenApiDocument } from '../../scripts/client/openapi.js';

/** The credential of routes that take no access token. A route with neither a scope nor an entry here is an error. */
export const OPEN_ROUTES: Readonly<Record<string, string>> = {
  'GET /health/live': 'none: tells whether the process is up',
  'GET /health/ready': 'none: tells whether requests can be served',
  'POST /v1/devices/enroll': 'the one-time enrollment token in the body',
  'POST /v1/devices/{id}/renew': 'a signature by the present key of the device',
  'GET /v1/devices/authorities/{id}/crl': 'none: revocation lists are public',
  'POST /v1/integrations/itsm/webhook/{org_id}': 'the source address, which the organization allows',
  'GET /v1/integrations/{platform}/commands': 'nothing: it says that the address is right',
  'POST /v1/integrations/{platform}/commands': 'the signature of the chat platform over the body',
  'GET /v1/integrations/{platform}/interactions': 'nothing: it says that the address is right',
  'POST /v1/integrations/{platform}/interactions': 'the signature of the chat platform over the body',
};

/** One row of the table: who may call a route. */
export interface AccessRule {
  /** Method and path, such as `GET /v1/policies/{id}`. */
  route: string;
  /** Scopes of which the caller needs one. Empty for routes that take no access token. */
  scopes: string[];
  /** Further scopes. The caller needs all of them. */
  further: string[];
  /** Roles that have one of the scopes and all further ones. */
  roles: Role[];
}

/** One row of the table about scopes that only some requests of a route need. */
export interface AccessCondition {
  route: string;
  /** Empty if the request decides which scopes it needs. */
  scopes: string[];
  when: string;
}

const INTRO = `# Access reference

Which route needs which scope, and which role holds it. [security.md](../security.md) says what stops everybody else.
The page is generated from the routes, and a test calls every route with every role and compares the answers with it.
\`npm run docs:reference\` writes this page.

- **401** answers every credential that is missing, malformed, unknown, expired or revoked.
- **403** answers a credential without the scope.
- **404** answers every id of another organization, exactly as an id that does not exist.
- A scope that ends in \`:own\` shows only what belongs to the person of the credential. Everything else is 404.
- Scopes joined by \`or\`: one of them is enough. Scopes joined by \`and\`: all of them, because the answer shows what they open.
- A token may be narrowed to some of its role's scopes.`;

const NOTES = `What some scopes show beyond their area:

- \`itsm:read\` shows the tickets themselves, and their titles name people by e-mail and models: grant it to those who may
  see incidents.
- \`incidents:write\` answers a change with the whole incident as it is now.`;

const ROUTES_HEAD = ['Route', 'Scope', ...ROLES];
const CONDITION_HEAD = ['Route', 'Also needs', 'When'];
const OPEN_HEAD = ['Route', 'Credential instead of an access token'];

/** The page `docs/reference/access.md`. */
export function accessReference(document: OpenApiDocument): string {
  const rules = routesOf(document).map(({ method, path, operation }) => {
    const scopes = operation['x-required-scopes'] ?? [];
    const further = operation['x-further-scopes'] ?? [];
    const roles = ROLES.filter(role => {
      const held: readonly string[] = ROLE_SCOPES[role];
      return scopes.some(scope => held.includes(scope)) && further.every(scope => held.includes(scope));
    });
    return { route: `${method} ${path}`, scopes, roles, operation };
  });
  const conditions = rules.flatMap(({ route, operation }) =>
    (operation['x-conditional-scopes'] ?? []).map(({ scopes, when }) => [`\`${route}\``, namesOf(scopes), when]),
  );
  const scoped = rules.filter(({ scopes }) => scopes.length > 0);
  const open = rules.filter(({ scopes }) => scopes.length === 0);
  const bundles = SCOPES.map(scope => [`\`${scope}\``].concat(marks(role => ROLE_SCOPES[role].includes(scope))));
  return `${[
    INTRO,
    '## Routes that need an access token',
    table(
      ROUTES_HEAD,
      scoped.map(({ route, operation, roles }) =>
        [`\`${route}\``, scopesOf(operation)].concat(marks(role => roles.includes(role))),
      ),
    ),
    '## What some requests need besides',
    table(CONDITION_HEAD, conditions),
    NOTES,
    '## Routes that take no access token',
    'A bearer that is sent to them is not read. Requests are limited per address, the probes aside.',
    table(
      OPEN_HEAD,
      // Marks a route that OPEN_ROUTES does not list, so that the test of the route matrix fails.
      open.map(({ route }) => [`\`${route}\``, OPEN_ROUTES[route] ?? '**undeclared**']),
    ),
    '## Roles',
    table(['Scope', ...ROLES], bundles),
  ].join('\n\n')}\n`;
}

/** The rules of access at the top of the page. */
export function readAccessRules(page: string): AccessRule[] {
  return page.split('\n').flatMap(line => {
    const [route = '', scopes = '', ...held] = line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim());
    if (!/^`[A-Z]+ \//.test(route)) return [];
    // Skips the rows of the table of additional scopes, which have only one cell after the scopes.
    if (held.length === 1) return [];
    const [first = '', ...further] = scopes.split(' and ');
    const named = held.length > 0 ? first.split(' or ').map(unquoted) : [];
    const roles = ROLES.filter((_, at) => held[at] === 'yes');
    return [{ route: unquoted(route), scopes: named, further: further.map(unquoted), roles }];
  });
}

/** The rows of the page about scopes that only some requests need. */
export function readAccessConditions(page: string): AccessCondition[] {
  return page.split('\n').flatMap(line => {
    const [route = '', scopes = '', ...rest] = line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim());
    if (!/^`[A-Z]+ \//.test(route) || rest.length !== 1) return [];
    const named = scopes.startsWith('`') ? scopes.split(' and ').map(unquoted) : [];
    return [{ route: unquoted(route), scopes: named, when: rest[0] ?? '' }];
  });
}

/** The text for a list of scopes, or for a description of them. */
export function namesOf(scopes: readonly string[] | string): string {
  return typeof scopes === 'string' ? scopes : scopes.map(scope => `\`${scope}\``).join(' and ');
}

/** A cell for each role: `yes` if the role has the scope. */
function marks(holds: (role: Role) => boolean): string[] {
  return ROLES.map(role => (holds(role) ? 'yes' : ''));
}

function unquoted(text: string): string {
  return text.replaceAll('`', '');
}

function table(head: readonly string[], rows: string[][]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
