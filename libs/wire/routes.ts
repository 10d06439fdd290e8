/** The wire format of a provider. A provider with an OpenAI-compatible API has the format `openai`. */
export type WireKind = 'openai' | 'anthropic';

/** What a path of a provider's API does. */
export type WireOperation =
  'chat_completions' | 'completions' | 'responses' | 'embeddings' | 'messages' | 'count_tokens' | 'models';

/** A known path of a provider's API. */
export interface WireRoute {
  readonly kind: WireKind;
  readonly operation: WireOperation;
  /** Whether the provider bills the requests. False for lists of models and for token counts, for example. */
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

/** Paths below the version, such as `/v1`. */
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
 * @param versions `optional` for a compatible provider whose root already contains a version, as in `/v1beta/openai`
 * and `/api/paas/v4`. By default, the path must contain `/v1`
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
 * The route of a request, found by the end of its URL's path. The client may have any base URL: `/openai/v1`,
 * `/api/v1`, `/openai/deployments/gpt-4o`.
 */
export function wireRouteAtEnd(kind: WireKind, method: string, path: string): WireRoute | undefined {
  return ROUTES.find(route => route.kind === kind && route.method === method && route.path.test(path));
}

function wholeMatch(pattern: RegExp, path: string): boolean {
  return pattern.exec(path)?.index === 0;
}
