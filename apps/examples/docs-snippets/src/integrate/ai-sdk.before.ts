import { Injectable } from '@nestjs/common';
import { openai } from '@ai-sdk/openai';
import { streamText } from 'ai';

@Injectable()
export class AiSdkChat {
  answer(prompt: string): AsyncIterable<string> {
    return streamText({ model: openai('gpt-4o-mini'), prompt }).textStream;
  }
}
