import type { Attributes } from './otlp-json.js';

/** Names in the exports of Claude Code, from its monitoring documentation (version 2.1.223). */
export const CLAUDE_CODE = {
  /** Log record of one request to the API. */
  requestEvent: 'claude_code.api_request',
  /** Span of one request to the API. */
  requestSpan: 'claude_code.llm_request',
  /** Counters. They have no request id. */
  tokenMetric: 'claude_code.token.usage',
  costMetric: 'claude_code.cost.usage',
} as const;

/**
 * Attributes that identify the person. `user.id` is not included, because it is an anonymous identifier of the
 * installation. Administrators can set `enduser.id` in `OTEL_RESOURCE_ATTRIBUTES` for people who have not signed in.
 */
export const CLAUDE_CODE_PERSON = ['enduser.id', 'user.email'] as const;

/**
 * Set to `metrics` in `OTEL_RESOURCE_ATTRIBUTES`, it makes metrics count instead of logs and spans. All signals contain
 * it.
 */
const SOURCE_OF_USAGE = 'governance.usage';

/** The signal that counts. Never two, because metrics cannot be matched with the requests in logs and spans. */
export function countsByMetrics(attributes: Attributes, resource: Attributes): boolean {
  return (attributes.get(SOURCE_OF_USAGE) ?? resource.get(SOURCE_OF_USAGE)) === 'metrics';
}
