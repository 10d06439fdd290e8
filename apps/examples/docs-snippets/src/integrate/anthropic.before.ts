import { Injectable } from '@nestjs/common';
import Anthropic from '@anthropic-ai/sdk';

@Injectable()
export class AnthropicChat {
  private readonly anthropic = new Anthropic();

  async answer(content: string): Promise<string> {
    const messages = [{ role: 'user' as const, content }];
    const asked = { model: 'claude-sonnet-5-5', max_tokens: 1_000, messages };
    return this.anthropic.messages.stream(asked).finalText();
  }
}
