/** The wire format of a provider. Providers with an OpenAI-compatible API use `openai`. */
export type WireKind = 'openai' | 'anthropic';

/** Function of a path in a provider's API. */
export type WireOperation =
  'chat_completions' | 'completions' | 'responses' | 'embeddings' | 'messages' | 'count_tokens' | 'models';

/** A known path of a provider's API. */
export interface WireRoute {
  readonly kind: WireKind;
  readonly operation: WireOperation;
  /** False if the provider bills nothing, as for lists of models and token counts. */
  readonly metered: boolean;
}

interface KnownRoute extends WireRoute {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
}

const post = (kind: WireKind, operation: WireOperation, path: RegExp, metered = true): KnownRoute => {
  return { kind, operation, metered, method: 'POST', path };
};
const models = (kind: WireKind): KnownRoute => {
  return { kind, operation: 'models', metered: false, method: 'GET', path: /\/models(?:\/[^/]+){0,3}$/ };
};

/** Paths after the version, `/v1`. */
const ROUTES: readonly KnownRoute[] = [
  post('openai', 'chat_completions', /\/chat\/completions$/),
  post('openai', 'completions', /\/completions$/),
  post('openai', 'responses', /\/responses$/),
  post('openai', 'embeddings', /\/embeddings$/),
  post('openai', 'count_tokens', /\/responses\/input_tokens$/, false),
  models('openai'),
  post('anthropic', 'messages', /\/messages$/),
  post('anthropic', 'count_tokens', /\/messages\/count_tokens$/, false),
  models('anthropic'),
];

const VERSION = '/v1';

/**
 * The route of a request, by its path below the provider's root, such as `/v1/chat/completions`, without the query.
 * Undefined for any other method or path. Model ids may contain slashes: `/v1/models/openai/gpt-4o`.
 * @param versions `optional` for compatible providers whose root already contains a version, as in `/v1beta/openai` and
 *   `/api/paas/v4`. Default: `/v1` is required
 */
export function wireRouteOf(
  kind: WireKind,
  method: string,
  path: string,
  versions: 'required' | 'optional' = 'required',
): WireRoute | undefined {
  const isVersioned = path.startsWith(`${VERSION}/`);
  if (!isVersioned && versions === 'required') return undefined;
  const rest = isVersioned ? path.slice(VERSION.length) : path;
  return ROUTES.find(route => route.kind === kind && route.method === method && wholeMatch(route.path, rest));
}

/**
 * The route of a request, by the end of its URL's path, for clients with any base URL: `/openai/v1`, `/api/v1`,
 * `/openai/deployments/gpt-4o`.
 */
export function wireRouteAtEnd(kind: WireKind, method: string, path: string): WireRoute | undefined {
  return ROUTES.find(route => route.kind === kind && route.method === method && route.path.test(path));
}

function wholeMatch(pattern: RegExp, path: string): boolean {
  return pattern.exec(path)?.index === 0;
}
