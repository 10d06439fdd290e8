import { Injectable } from '@nestjs/common';
import { openai } from '@ai-sdk/openai';
import { streamText, wrapLanguageModel } from 'ai';
import { GovernedCalls } from 'nest-llm-governance';
import { governanceMiddleware } from 'nest-llm-governance/ai';
import type { Person } from './person.js';

@Injectable()
export class AiSdkChat {
  constructor(private readonly calls: GovernedCalls) {}

  answer(prompt: string, person: Person): AsyncIterable<string> {
    const middleware = governanceMiddleware(this.calls, () => person);
    const model = wrapLanguageModel({ model: openai('gpt-4o-mini'), middleware });
    return streamText({ model, prompt }).textStream;
  }
}
