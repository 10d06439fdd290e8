import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { callerOf, DecisionService, IdempotencyKeyReusedError, parseDecision, type Decision } from '#policy';
import { reasonForUser } from '../people/refusal-reasons.js';
import { readGuardrailRequest, UNKNOWN_MODEL, type GuardrailQuestion } from './guardrail-request.js';

/** What LiteLLM does with the request: it forwards the request, or refuses it with the reason. */
export type GuardrailAnswer =
  { readonly action: 'NONE' } | { readonly action: 'BLOCKED'; readonly blocked_reason: string };

const NONE: GuardrailAnswer = { action: 'NONE' };
const NOBODY =
  'This key names no person: set its user’s e-mail address, or a user id that is the id of a person in governance.';
const NO_MODEL = 'LiteLLM did not name the model, and the guardrail blocks such requests (on_missing_model).';

/** Answers LiteLLM's generic guardrail with decisions. These decisions are recorded like all others. */
@Injectable()
export class GuardrailService {
  constructor(private readonly decisions: DecisionService) {}

  /**
   * Decides about one call of LiteLLM. If the request for a call is repeated, the decision is the same.
   * @throws BadRequestError if the body is not a request of the guardrail
   */
  async ask(actor: Actor, body: unknown): Promise<GuardrailAnswer> {
    const question = readGuardrailRequest(body);
    if (question.isAnswer) return NONE;
    if (!question.person) return { action: 'BLOCKED', blocked_reason: NOBODY };
    if (question.model === undefined && question.blocksUnknownModel) {
      return { action: 'BLOCKED', blocked_reason: NO_MODEL };
    }
    const decision = await this.decide(actor, question);
    return decision.allowed ? NONE : { action: 'BLOCKED', blocked_reason: reasonForUser(decision) };
  }

  private async decide(actor: Actor, question: GuardrailQuestion): Promise<Decision> {
    const { person, provider, model = UNKNOWN_MODEL, dimensions, estimatedInputTokens, idempotencyKey } = question;
    const { orgId } = actor;
    const options = { caller: callerOf(actor) };
    const asked = { ...person, ...dimensions, provider, model, estimated_input_tokens: estimatedInputTokens };
    if (idempotencyKey === undefined) return this.decisions.decide(orgId, parseDecision(asked), options);
    const keyed = parseDecision({ ...asked, idempotency_key: idempotencyKey });
    try {
      return await this.decisions.decide(orgId, keyed, options);
    } catch (error) {
      // If a call fails, LiteLLM may call another model under the same id. This counts as a separate call.
      if (!(error instanceof IdempotencyKeyReusedError)) throw error;
      return this.decisions.decide(orgId, parseDecision(asked), options);
    }
  }
}
