/**
 * Names of attributes of GenAI spans, the present one of the semantic conventions first, then those that it replaced and
 * those of instrumentations from before the conventions.
 */
export const SPAN_NAMES = {
  operation: ['gen_ai.operation.name', 'llm.request.type'],
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  model: ['gen_ai.response.model', 'gen_ai.request.model', 'llm.response.model', 'llm.request.model'],
  input: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  output: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  cacheRead: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'],
  cacheWrite: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_creation_input_tokens'],
  reasoning: ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'],
  person: ['enduser.id', 'user.email', 'user.id'],
} as const;

/** Operations that sum up the calls below them, or call no model: their tokens have spans of their own. */
export const OTHER_OPERATIONS: ReadonlySet<unknown> = new Set([
  'create_agent',
  'invoke_agent',
  'invoke_workflow',
  'execute_tool',
  'retrieval',
]);
