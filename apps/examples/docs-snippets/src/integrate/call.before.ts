import { Injectable } from '@nestjs/common';
import OpenAI from 'openai';

@Injectable()
export class CallChat {
  private readonly openai = new OpenAI();

  async answer(content: string): Promise<string> {
    const messages = [{ role: 'user' as const, content }];
    const answer = await this.openai.chat.completions.create({ model: 'gpt-4o-mini', messages });
    return answer.choices[0]?.message.content ?? '';
  }
}
