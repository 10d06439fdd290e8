import { fragmentsOf, tokensOf } from './tokens.js';
import type { Script } from './script.js';
import type { Generation } from './vendor.js';

const DEFAULT_OUTPUT_TOKENS = 12;

/** A tool call in the answer. Its name and each fragment of its arguments count as one token. */
export interface WrittenTool {
  name: string;
  nameTokens: number;
  json: string;
  fragments: string[];
}

/** The answer that a script generates for a request. */
export interface Plan {
  generation: Generation;
  /** Tokens of text in each choice. */
  textTokens: number;
  tools: WrittenTool[];
  /** Whether the answer ended because it reached the limit of the request. */
  isTruncated: boolean;
  tokensPerDelta: number;
}

/**
 * Counts the tokens of an answer. `maxTokens` limits reasoning and text together, as with both vendors. Tools are
 * called only if the limit leaves room for all calls.
 */
export function planOf(
  script: Script,
  { promptTokens, maxTokens, choices = 1 }: { promptTokens: number; maxTokens?: number | undefined; choices?: number },
): Plan {
  const wanted = (script.tools ?? []).map(tool => {
    const json = JSON.stringify(tool.arguments);
    return { name: tool.name, nameTokens: tokensOf(tool.name), json, fragments: fragmentsOf(json) };
  });
  const limit = maxTokens ?? Number.POSITIVE_INFINITY;
  const reasoningTokens = Math.min(script.reasoningTokens ?? 0, limit);
  const wantedText = script.outputTokens ?? (wanted.length > 0 ? 0 : DEFAULT_OUTPUT_TOKENS);
  const textTokens = Math.min(wantedText, limit - reasoningTokens);
  const toolTokens = wanted.reduce((sum, { nameTokens, fragments }) => sum + nameTokens + fragments.length, 0);
  const isTruncated = textTokens < wantedText || reasoningTokens + textTokens + toolTokens > limit;
  const tools = isTruncated ? [] : wanted;
  return {
    generation: {
      promptTokens: script.promptTokens ?? promptTokens,
      cachedTokens: script.cachedTokens ?? 0,
      cacheWriteTokens: script.cacheWriteTokens ?? 0,
      reasoningTokens: reasoningTokens * choices,
      visibleTokens: (textTokens + (isTruncated ? 0 : toolTokens)) * choices,
    },
    textTokens,
    tools,
    isTruncated,
    tokensPerDelta: script.tokensPerDelta ?? 1,
  };
}
