import { Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';
import OpenAI from 'openai';
import type { Person } from './person.js';

@Injectable()
export class CallChat {
  private readonly openai = new OpenAI();

  constructor(private readonly governance: Governance) {}

  async answer(content: string, { orgId, user_email }: Person): Promise<string> {
    const asked = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content }] };
    const request = { user_email, provider: 'openai', model: asked.model };
    const run = () => this.openai.chat.completions.create(asked);
    const answer = await this.governance.call(orgId, request, { run });
    return answer.choices[0]?.message.content ?? '';
  }
}
