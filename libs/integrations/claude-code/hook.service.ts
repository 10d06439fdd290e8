import { Injectable } from '@nestjs/common';
import { DecisionService, IdempotencyKeyReusedError, parseDecision, ReleaseService, type Decision } from '#policy';
import type { NamedPerson } from '../people/named-person.js';
import { answerToNobody, hookAnswer, type HookAnswer, type HookBehavior } from './hook-answer.js';
import { readHookRequest, type HookQuestion } from './hook-request.js';

/** How a hook is answered. */
export interface HookOptions extends HookBehavior {
  /** Whether command, path and URL of a tool's input become attributes, which are stored with the decision. */
  readonly readsInput: boolean;
}

/** Answers hooks of Claude Code with decisions. These decisions are recorded like all others. */
@Injectable()
export class HookService {
  constructor(
    private readonly decisions: DecisionService,
    private readonly releases: ReleaseService,
  ) {}

  /**
   * Decides about a tool call or a prompt. Other events get an empty answer. Reservations are released, because the
   * usage of the model is counted elsewhere: by telemetry, or by the gateway.
   * @throws BadRequestError if the body is not the input of a hook
   */
  async ask(orgId: string, person: NamedPerson | undefined, body: unknown, options: HookOptions): Promise<HookAnswer> {
    const question = readHookRequest(body, options.readsInput);
    if (!question) return {};
    if (!person) return answerToNobody(question.event);
    const decision = await this.decide(orgId, person, question);
    if (decision.reservation) await this.releases.release(orgId, decision.id);
    return hookAnswer(question.event, decision, options);
  }

  private async decide(orgId: string, person: NamedPerson, question: HookQuestion): Promise<Decision> {
    const { provider, model, attributes, estimatedInputTokens, idempotencyKey } = question;
    const asked = { ...person, provider, model, attributes, estimated_input_tokens: estimatedInputTokens };
    if (idempotencyKey === undefined) return this.decisions.decide(orgId, parseDecision(asked));
    try {
      return await this.decisions.decide(orgId, parseDecision({ ...asked, idempotency_key: idempotencyKey }));
    } catch (error) {
      // An earlier decision about this call was made in another mode or for other input. This is therefore a new
      // request, without the key.
      if (!(error instanceof IdempotencyKeyReusedError)) throw error;
      return this.decisions.decide(orgId, parseDecision(asked));
    }
  }
}
