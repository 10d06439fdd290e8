import { Injectable } from '@nestjs/common';
import { GovernedCalls } from 'nest-llm-governance';
import { governedFetch } from 'nest-llm-governance/openai';
import OpenAI from 'openai';
import type { Person } from './person.js';

@Injectable()
export class OpenAiChat {
  constructor(private readonly calls: GovernedCalls) {}

  async *answer(content: string, person: Person): AsyncIterable<string> {
    const openai = new OpenAI({ fetch: governedFetch(this.calls, () => person) });
    const messages = [{ role: 'user' as const, content }];
    const stream = await openai.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true });
    for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? '';
  }
}
