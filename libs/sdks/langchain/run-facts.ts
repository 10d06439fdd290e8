import type { Answered } from '../call/streamed-call.js';

type Fields = Readonly<Record<string, unknown>>;

/** The data that LangChain reports at the start of a run. */
export interface StartedRun {
  readonly model: string;
  /** LangChain's provider name: `openai`, `anthropic`, `azure`. */
  readonly provider: string;
  readonly tools: unknown;
  readonly maxOutputTokens: number | undefined;
}

/**
 * Reads the data that a chat model or text model reports at the start of a run: its parameters and LangSmith's
 * metadata.
 */
export function startedRun(extra: unknown, metadata: unknown): StartedRun {
  const asked = recordOf(recordOf(extra)['invocation_params']);
  const known = recordOf(metadata);
  const limits = [
    asked['max_completion_tokens'],
    asked['max_output_tokens'],
    asked['max_tokens'],
    known['ls_max_tokens'],
  ];
  return {
    model: textOf(known['ls_model_name']) ?? textOf(asked['model']) ?? textOf(asked['model_name']) ?? 'unknown',
    provider: textOf(known['ls_provider']) ?? 'langchain',
    tools: asked['tools'] ?? asked['functions'],
    maxOutputTokens: limits.map(countOf).find(limit => limit !== undefined),
  };
}

/** The prompt of the model, in the format of a request. */
export function promptOf(messages: unknown): unknown {
  const list = Array.isArray(messages) ? messages.flat() : [messages];
  return list.map(message => {
    if (typeof message === 'string') return message;
    const { content, tool_calls: calls } = recordOf(message);
    return { role: '', content, tool_calls: calls };
  });
}

/** Reads the first answer of a finished run. */
export function answeredRun(output: unknown): Answered {
  const generation = recordOf(firstOf(firstOf(recordOf(output)['generations'])));
  const message = recordOf(generation['message']);
  const response = recordOf(message['response_metadata']);
  const id = textOf(response['id']) ?? textOf(message['id']);
  return {
    // If the provider sends no id, LangChain derives an id from the run. It must not be used.
    id: id?.startsWith('run-') ? undefined : id,
    model: textOf(response['model_name']) ?? textOf(response['model']),
    usage: usageOf(recordOf(message['usage_metadata'])),
  };
}

/** The texts of a stream chunk, including those of tool calls. */
export function textsOf(token: unknown, fields: unknown): unknown[] {
  const chunk = recordOf(recordOf(fields)['chunk']);
  const calls = recordOf(chunk['message'])['tool_call_chunks'];
  const parts = Array.isArray(calls) ? calls.map(recordOf) : [];
  return [token, ...parts.flatMap(part => [part['name'], part['args']])];
}

function usageOf(usage: Fields): Answered['usage'] {
  const [input, output] = [countOf(usage['input_tokens']), countOf(usage['output_tokens'])];
  if (input === undefined || output === undefined) return undefined;
  const details = recordOf(usage['input_token_details']);
  const [cacheRead, cacheWrite] = [countOf(details['cache_read']), countOf(details['cache_creation'])];
  const reasoning = countOf(recordOf(usage['output_token_details'])['reasoning']);
  return {
    inputTokens: {
      total: input,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    },
    outputTokens: { total: output, ...(reasoning === undefined ? {} : { reasoning }) },
  };
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
