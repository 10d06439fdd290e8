import { MODELS, type Model } from './people.js';

/** Models that the policies forbid, used in turn. */
export const FORBIDDEN: readonly Model[] = [
  { provider: 'openai', model: 'image-1', input: 400, output: 1 },
  { provider: 'deepseek', model: 'deepseek-reasoner', input: 900, output: 700 },
  MODELS.reasoning,
  { provider: 'acme', model: 'test-markup-<b>bold</b>', input: 10, output: 10 },
];
