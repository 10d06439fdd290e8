import { BadRequestError, UnsupportedMediaTypeError } from '#core';
import type { NamedPerson } from '../people/named-person.js';
import { isRecord, memberOf } from '../records.js';
import { dimensionsOf, keyOfCall, personOfKey, providerAndModel } from './litellm-names.js';

/** The model in decisions if LiteLLM does not name it. */
export const UNKNOWN_MODEL = 'unknown';

/** Average number of characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/** A request of LiteLLM to its guardrail. */
export interface GuardrailQuestion {
  /** Whether this is a model's answer. LiteLLM also sends answers, but they need no decision. */
  readonly isAnswer: boolean;
  readonly person: NamedPerson | undefined;
  readonly provider: unknown;
  /** The model; undefined if neither LiteLLM nor the settings of the guardrail name one. */
  readonly model: unknown;
  /** Field `project` of the decision request; empty if the key has no project. */
  readonly dimensions: object;
  /** Whether the guardrail's settings block requests that name no model. */
  readonly blocksUnknownModel: boolean;
  readonly estimatedInputTokens: number;
  readonly idempotencyKey: string | undefined;
}

/**
 * Reads a request of LiteLLM's generic guardrail API. Texts of the request are measured but not stored.
 * @throws BadRequestError
 */
export function readGuardrailRequest(body: unknown): GuardrailQuestion {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send a JSON object as the body, with content-type: application/json.');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be a JSON object');
  const { input_type: inputType, request_data: data, additional_provider_specific_params: settings } = body;
  if (inputType !== 'request' && inputType !== 'response') {
    throw BadRequestError.field('input_type', 'must be request or response');
  }
  if (data !== undefined && data !== null && !isRecord(data)) {
    throw BadRequestError.field('request_data', 'must be an object');
  }
  const model = body['model'] ?? memberOf(data, 'model') ?? memberOf(settings, 'model') ?? undefined;
  return {
    isAnswer: inputType === 'response',
    person: personOfKey(data),
    ...providerAndModel(memberOf(settings, 'provider') ?? undefined, model),
    dimensions: dimensionsOf(data),
    blocksUnknownModel: memberOf(settings, 'on_missing_model') === 'block',
    estimatedInputTokens: estimate(body['texts']),
    idempotencyKey: keyOfCall(body['litellm_call_id']),
  };
}

function estimate(texts: unknown): number {
  const all: readonly unknown[] = Array.isArray(texts) ? texts : [];
  const characters = all.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
