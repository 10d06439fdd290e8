import { ForbiddenException, Injectable } from '@nestjs/common';
import { DecisionService } from 'nest-llm-governance/policy';
import { UsageIngestion } from 'nest-llm-governance/usage';

/** What a provider answers. */
export interface Completion {
  id: string;
  text: string;
  usage: { prompt_tokens: number; completion_tokens: number };
}

/** Decide, call, report. */
@Injectable()
export class Completions {
  constructor(
    private readonly decisions: DecisionService,
    private readonly usage: UsageIngestion,
  ) {}

  async complete(orgId: string, email: string, call: () => Promise<Completion>): Promise<string> {
    const request = { user_email: email, provider: 'openai', model: 'gpt-4o' };
    const decision = await this.decisions.decide(orgId, request);
    if (!decision.allowed) throw new ForbiddenException(decision.reason);

    const { id, text, usage } = await call();
    const event = { ...request, id, usage, occurred_at: new Date().toISOString(), decision_id: decision.id };
    const { rejected } = await this.usage.record(orgId, [event]);
    if (rejected[0]) throw new Error(`usage ${rejected[0].field}: ${rejected[0].message}`);
    return text;
  }
}
