import { asInteger, type JsonRecord } from '../json.js';
import type { Script } from '../script.js';
import { promptTokensOf } from '../tokens.js';
import type { ModelAnswer } from '../vendor.js';

const DIMENSIONS: Record<string, number> = { 'text-embedding-3-large': 3072 };

/**
 * `/v1/embeddings`: one unit vector per input, as numbers or as base64 of 32-bit floats. The answer has no output
 * tokens and no id.
 */
export function embeddingAnswer(body: JsonRecord, model: string, script: Script): ModelAnswer {
  const { input } = body;
  const isOne = typeof input === 'string' || (Array.isArray(input) && typeof input[0] === 'number');
  const inputs: unknown[] = isOne ? [input] : (input as unknown[]);
  const size = asInteger(body['dimensions']) ?? DIMENSIONS[model] ?? 1536;
  const promptTokens = script.promptTokens ?? inputs.reduce<number>((sum, one) => sum + tokensOf(one), 0);
  return {
    id: undefined,
    model,
    generation: { promptTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, visibleTokens: 0 },
    usage: () => ({ prompt_tokens: promptTokens, total_tokens: promptTokens }),
    plain: () =>
      JSON.stringify({
        object: 'list',
        data: inputs.map((_, index) => ({
          object: 'embedding',
          index,
          embedding: vector(size, index, body['encoding_format'] === 'base64'),
        })),
        model,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      }),
    frames: () => [],
    deathFrames: () => [],
  };
}

/** A text counts by its characters, an array of token ids by its length. */
function tokensOf(input: unknown): number {
  return Array.isArray(input) ? input.length : promptTokensOf([input]);
}

function vector(size: number, index: number, isBase64: boolean): number[] | string {
  const floats = new Float32Array(size);
  floats[index % size] = 1;
  return isBase64 ? Buffer.from(floats.buffer).toString('base64') : [...floats];
}
