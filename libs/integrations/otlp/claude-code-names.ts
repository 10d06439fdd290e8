import type { Attributes } from './otlp-json.js';

/** Names in the exports of Claude Code, according to its monitoring documentation (version 2.1.223). */
export const CLAUDE_CODE = {
  /** Log record about one request to the API. */
  requestEvent: 'claude_code.api_request',
  /** Span of one request to the API. */
  requestSpan: 'claude_code.llm_request',
  /** Names of counters. Counters contain no request id. */
  tokenMetric: 'claude_code.token.usage',
  costMetric: 'claude_code.cost.usage',
} as const;

/**
 * Attributes that identify the person. `user.id` is not used, because it identifies the installation and is anonymous.
 * For people who have not signed in, administrators can set `enduser.id` in `OTEL_RESOURCE_ATTRIBUTES`.
 */
export const CLAUDE_CODE_PERSON = ['enduser.id', 'user.email'] as const;

/**
 * If administrators set this attribute to `metrics` in `OTEL_RESOURCE_ATTRIBUTES`, metrics are counted instead of logs
 * and spans. The resource of every signal contains the attribute.
 */
const SOURCE_OF_USAGE = 'governance.usage';

/**
 * Whether metrics are counted, instead of logs and spans. Never both, because metrics cannot be matched with the
 * requests in logs and spans.
 */
export function countsByMetrics(attributes: Attributes, resource: Attributes): boolean {
  return (attributes.get(SOURCE_OF_USAGE) ?? resource.get(SOURCE_OF_USAGE)) === 'metrics';
}
