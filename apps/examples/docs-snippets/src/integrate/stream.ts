import { Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';
import OpenAI from 'openai';
import type { Person } from './person.js';

const MODEL = 'gpt-4o-mini';
const textOf = (chunk: OpenAI.ChatCompletionChunk): string => chunk.choices[0]?.delta.content ?? '';

@Injectable()
export class StreamChat {
  private readonly openai = new OpenAI();

  constructor(private readonly governance: Governance) {}

  async *answer(content: string, { orgId, user_email }: Person): AsyncIterable<string> {
    const decision = await this.governance.decide(orgId, { user_email, provider: 'openai', model: MODEL });
    const chunks = this.governance.meterStream(orgId, decision, this.chunks(content), { textOf });
    for await (const chunk of chunks) yield textOf(chunk);
  }

  private async *chunks(content: string): AsyncIterable<OpenAI.ChatCompletionChunk> {
    const messages = [{ role: 'user' as const, content }];
    const stream_options = { include_usage: true };
    yield* await this.openai.chat.completions.create({ model: MODEL, messages, stream: true, stream_options });
  }
}
