import { serviceTierNamed, type ServiceTier } from '#core';
import type { WireRequest } from '../request/read-request.js';
import type { AnswerSummary } from './answer-reader.js';

/** Usage to record for one answer: the provider's figures, or estimates. */
export interface WireUsage {
  readonly id?: string;
  readonly model?: string;
  /** The tier, if the answer names it beside the usage object. */
  readonly service_tier?: ServiceTier;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly estimated?: boolean;
}

/**
 * Minimum length of an id that counts as unique. Shorter ids may repeat: Ollama, for example, generates `chatcmpl-` and
 * a number below 1,000. A usage event with a repeated id would be treated as a duplicate.
 */
const SHORTEST_ID = 20;

/** The provider's id of an answer, if it is unique. */
export function uniqueIdOf(id: string | undefined): string | undefined {
  return id !== undefined && id.length >= SHORTEST_ID ? id : undefined;
}

/** The usage of a complete or incomplete answer. Figures that the provider did not report are estimated. */
export function usageOfAnswer(request: WireRequest, answer: AnswerSummary): WireUsage {
  const id = uniqueIdOf(answer.id);
  const tier = serviceTierNamed(answer.serviceTier);
  const named = {
    ...(id === undefined ? {} : { id }),
    ...(answer.model === undefined ? {} : { model: answer.model }),
    ...(tier === undefined ? {} : { service_tier: tier }),
  };
  if (answer.usage) return { ...named, usage: answer.usage, ...(answer.estimated ? { estimated: true } : {}) };
  const { estimatedInputTokens: input_tokens } = request;
  return { ...named, input_tokens, output_tokens: answer.outputTokens, estimated: true };
}
