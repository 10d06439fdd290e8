import { ForbiddenException, Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';

/** The answer of a provider. */
export interface Completion {
  id: string;
  text: string;
  usage: { prompt_tokens: number; completion_tokens: number };
}

/** Requests a decision, calls the provider, and reports the usage. */
@Injectable()
export class Completions {
  constructor(private readonly governance: Governance) {}

  async complete(orgId: string, email: string, call: () => Promise<Completion>): Promise<string> {
    const request = { user_email: email, provider: 'openai', model: 'gpt-4o' };
    const decision = await this.governance.decide(orgId, { ...request, max_output_tokens: 1_000 });
    if (!decision.allowed) throw new ForbiddenException(decision.reason);

    const { id, text, usage } = await call();
    const event = { ...request, id, usage, occurred_at: new Date().toISOString(), decision_id: decision.id };
    const { rejected } = await this.governance.recordUsage(orgId, [event]);
    if (rejected[0]) throw new Error(`usage ${rejected[0].field}: ${rejected[0].message}`);
    return text;
  }
}
