import { ROLE_SCOPES, ROLES, SCOPES, type Role } from '#access';
import { routesOf, type OpenApiDocument } from './openapi.js';

/** What stands in for an access token on routes that take none. A route with neither a scope nor a line here is a fault. */
export const OPEN_ROUTES: Readonly<Record<string, string>> = {
  'GET /health/live': 'none: tells whether the process is up',
  'GET /health/ready': 'none: tells whether requests can be served',
  'POST /v1/devices/enroll': 'the one-time enrollment token in the body',
  'POST /v1/devices/{id}/renew': 'a signature by the present key of the device',
  'GET /v1/devices/authorities/{id}/crl': 'none: revocation lists are public',
  'POST /v1/integrations/itsm/webhook/{org_id}': 'the source address, which the organization allows',
  'POST /v1/integrations/{platform}/commands': 'the signature of the chat platform over the body',
};

/** One line of the table: who may call a route. */
export interface AccessRule {
  /** Method and path, such as `GET /v1/policies/{id}`. */
  route: string;
  /** Scopes of which the caller needs one; empty on routes that take no access token. */
  scopes: string[];
  /** Roles that hold one of the scopes. */
  roles: Role[];
}

const INTRO = `# Access reference

Which route needs which scope, and which role holds it. [security.md](../security.md) says what stops everybody else.
The page is generated from the routes, and a test calls every route with every role and compares the answers with it.
\`npm run docs:reference\` writes this page.

- **401** answers every credential that is missing, malformed, unknown, expired or revoked.
- **403** answers a credential without the scope.
- **404** answers every id of another organization, exactly as an id that does not exist.
- A scope that ends in \`:own\` shows only what belongs to the person of the credential. Everything else is 404.
- A token may be narrowed to some of its role's scopes.`;

const ROUTES_HEAD = ['Route', 'Scope', ...ROLES];
const OPEN_HEAD = ['Route', 'Credential instead of an access token'];

/** The page `docs/reference/access.md`. */
export function accessReference(document: OpenApiDocument): string {
  const rules = routesOf(document).map(({ method, path, operation }) => {
    const scopes = operation['x-required-scopes'] ?? [];
    const roles = ROLES.filter(role => ROLE_SCOPES[role].some(scope => scopes.includes(scope)));
    return { route: `${method} ${path}`, scopes, roles };
  });
  const scoped = rules.filter(({ scopes }) => scopes.length > 0);
  const open = rules.filter(({ scopes }) => scopes.length === 0);
  const bundles = SCOPES.map(scope => [`\`${scope}\``].concat(marks(role => ROLE_SCOPES[role].includes(scope))));
  return `${[
    INTRO,
    '## Routes that need an access token',
    table(
      ROUTES_HEAD,
      scoped.map(({ route, scopes, roles }) =>
        [`\`${route}\``, scopes.map(scope => `\`${scope}\``).join(' or ')].concat(marks(role => roles.includes(role))),
      ),
    ),
    '## Routes that take no access token',
    'A bearer that is sent to them is not read. Requests are limited per address, the probes aside.',
    table(
      OPEN_HEAD,
      // An unknown one stands there for the matrix to refuse.
      open.map(({ route }) => [`\`${route}\``, OPEN_ROUTES[route] ?? '**undeclared**']),
    ),
    '## Roles',
    table(['Scope', ...ROLES], bundles),
  ].join('\n\n')}\n`;
}

/** The rules of the page. */
export function readAccessRules(page: string): AccessRule[] {
  return page.split('\n').flatMap(line => {
    const [route = '', scopes = '', ...held] = line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim());
    if (!/^`[A-Z]+ \//.test(route)) return [];
    const named = held.length > 0 ? scopes.split(' or ').map(unquoted) : [];
    return [{ route: unquoted(route), scopes: named, roles: ROLES.filter((_, at) => held[at] === 'yes') }];
  });
}

/** One cell per role. */
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
