import { Injectable } from '@nestjs/common';
import { ChatOpenAI } from '@langchain/openai';
import { GovernedCalls } from 'nest-llm-governance';
import { governanceCallbacks } from 'nest-llm-governance/langchain';
import type { Person } from './person.js';

@Injectable()
export class LangChainChat {
  private readonly model = new ChatOpenAI({ model: 'gpt-4o-mini' });

  constructor(private readonly calls: GovernedCalls) {}

  async answer(question: string, person: Person): Promise<string> {
    const callbacks = [governanceCallbacks(this.calls, () => person)];
    return (await this.model.invoke(question, { callbacks })).text;
  }
}
