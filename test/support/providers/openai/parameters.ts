import type { JsonRecord } from '../json.js';
import { unknownParameter } from './errors.js';

const words = (text: string): Set<string> => new Set(text.split(/\s+/));

/** The fields of each endpoint. As with the vendor, the error names any other field. */
const PARAMETERS = {
  '/v1/chat/completions': words(
    `messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
     metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key
     prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier
     stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity
     web_search_options`,
  ),
  '/v1/responses': words(
    `access_programs background context_management conversation image include input instructions max_output_tokens
     max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
     prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
     temperature text tool_choice tools top_logprobs top_p truncation user`,
  ),
  '/v1/completions': words(
    `model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream
     stream_options suffix temperature top_p user`,
  ),
  '/v1/embeddings': words('input model dimensions encoding_format user'),
} satisfies Record<string, Set<string>>;

export type OpenAiPath = keyof typeof PARAMETERS;

/** Options of a stream. Chat completions report usage only on request. Responses always report it. */
const STREAM_OPTIONS: Record<OpenAiPath, Set<string>> = {
  '/v1/chat/completions': words('include_usage include_obfuscation'),
  '/v1/completions': words('include_usage include_obfuscation'),
  '/v1/responses': words('include_obfuscation'),
  '/v1/embeddings': new Set(),
};

export function isOpenAiPath(path: string): path is OpenAiPath {
  return Object.hasOwn(PARAMETERS, path);
}

export function checkParameters(path: OpenAiPath, body: JsonRecord, streamOptions: JsonRecord | undefined): void {
  for (const name of Object.keys(body)) if (!PARAMETERS[path].has(name)) throw unknownParameter(name);
  for (const name of Object.keys(streamOptions ?? {})) {
    if (!STREAM_OPTIONS[path].has(name)) throw unknownParameter(`stream_options.${name}`);
  }
}
