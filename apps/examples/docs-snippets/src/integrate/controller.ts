import { Controller, Get, Query } from '@nestjs/common';
import { Governed } from 'nest-llm-governance';
import OpenAI from 'openai';
import type { Person } from './person.js';

/** A request to your application. A guard of your application has set the signed-in person. */
interface SignedIn {
  person: Person;
}

@Controller('chat')
export class ChatController {
  private readonly openai = new OpenAI();

  @Get()
  @Governed({
    provider: 'openai',
    model: 'gpt-4o-mini',
    org: ({ person }: SignedIn) => person.orgId,
    user: ({ person }: SignedIn) => person.user_email,
  })
  chat(@Query('question') content: string): Promise<object> {
    return this.openai.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
  }
}
