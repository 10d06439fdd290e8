import { Controller, Get, Query } from '@nestjs/common';
import OpenAI from 'openai';

@Controller('chat')
export class ChatController {
  private readonly openai = new OpenAI();

  @Get()
  chat(@Query('question') content: string): Promise<object> {
    return this.openai.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
  }
}
