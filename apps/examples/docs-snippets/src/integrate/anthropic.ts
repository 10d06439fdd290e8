import { Injectable } from '@nestjs/common';
import Anthropic from '@anthropic-ai/sdk';
import { GovernedCalls } from 'nest-llm-governance';
import { governedFetch } from 'nest-llm-governance/anthropic';
import type { Person } from './person.js';

@Injectable()
export class AnthropicChat {
  constructor(private readonly calls: GovernedCalls) {}

  async answer(content: string, person: Person): Promise<string> {
    const anthropic = new Anthropic({ fetch: governedFetch(this.calls, () => person) });
    const messages = [{ role: 'user' as const, content }];
    const asked = { model: 'claude-sonnet-5-5', max_tokens: 1_000, messages };
    return anthropic.messages.stream(asked).finalText();
  }
}
