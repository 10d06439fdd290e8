import { Injectable } from '@nestjs/common';
import { openai } from '@ai-sdk/openai';
import { streamText, wrapLanguageModel } from 'ai';
import { GovernedCalls } from 'nest-llm-governance';
import { governanceMiddleware } from 'nest-llm-governance/ai';
import type { Person } from './person.js';

@Injectable()
export class AiSdkChat {
  constructor(private readonly calls: GovernedCalls) {}

  async *answer(prompt: string, person: Person): AsyncIterable<string> {
    const middleware = governanceMiddleware(this.calls, () => person);
    const model = wrapLanguageModel({ model: openai('gpt-4o-mini'), middleware });
    for await (const part of streamText({ model, prompt }).stream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') yield part.text;
    }
  }
}
