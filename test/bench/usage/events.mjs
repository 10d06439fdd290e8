import { randomUUID } from 'node:crypto';

const MODELS = [
  ['openai', 'gpt-4o'],
  ['anthropic', 'claude-sonnet-4-20250514'],
  ['google', 'gemini-2.5-pro'],
];

/** A batch as a gateway sends it: many requests of some people within one hour. */
export function batchOf(size, emails, now) {
  return Array.from({ length: size }, (_, index) => {
    const [provider, model] = MODELS[index % MODELS.length];
    return {
      id: randomUUID(),
      user_email: emails[Math.floor(Math.random() * emails.length)],
      provider,
      model,
      occurred_at: new Date(now - Math.floor(Math.random() * 3_000_000)).toISOString(),
      input_tokens: 200 + Math.floor(Math.random() * 4_000),
      output_tokens: 20 + Math.floor(Math.random() * 800),
    };
  });
}
