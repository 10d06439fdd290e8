import { MODELS, type Model } from './people.js';

const IMAGE = { provider: 'openai', model: 'image-1', input: 400, output: 1 };
const DEEPSEEK = { provider: 'deepseek', model: 'deepseek-reasoner', input: 900, output: 700 };

/** Models that the policies forbid. They are used in turn; the model with markup in its name is used seldom. */
export const FORBIDDEN: readonly Model[] = [
  IMAGE,
  DEEPSEEK,
  MODELS.reasoning,
  IMAGE,
  DEEPSEEK,
  MODELS.reasoning,
  IMAGE,
  DEEPSEEK,
  { provider: 'acme', model: 'test-markup-<b>bold</b>', input: 10, output: 10 },
];
