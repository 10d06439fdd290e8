import { Injectable } from '@nestjs/common';
import OpenAI from 'openai';

@Injectable()
export class StreamChat {
  private readonly openai = new OpenAI();

  async *answer(content: string): AsyncIterable<string> {
    const messages = [{ role: 'user' as const, content }];
    const chunks = await this.openai.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true });
    for await (const chunk of chunks) yield chunk.choices[0]?.delta.content ?? '';
  }
}
