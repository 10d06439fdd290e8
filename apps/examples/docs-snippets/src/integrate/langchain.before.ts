import { Injectable } from '@nestjs/common';
import { ChatOpenAI } from '@langchain/openai';

@Injectable()
export class LangChainChat {
  private readonly model = new ChatOpenAI({ model: 'gpt-4o-mini' });

  async answer(question: string): Promise<string> {
    return (await this.model.invoke(question)).text;
  }
}
