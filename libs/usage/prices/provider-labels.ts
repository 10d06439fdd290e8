import { findProvider, type Provider } from '@pydantic/genai-prices';

/**
 * Common labels of providers, by the provider id of the catalogue: OpenTelemetry's `gen_ai.provider.name`, LiteLLM's
 * provider names and common spellings. Labels are written without punctuation. Labels that the catalogue itself matches
 * correctly are omitted. It would match some labels to the wrong provider (`azure-openai` contains `openai`).
 */
const LABELS_BY_ID = {
  anthropic: ['claude'],
  aws: ['awsbedrock', 'bedrockconverse', 'amazonnova'],
  azure: ['azureai', 'azureaiinference', 'azureaiopenai', 'azureopenai', 'azopenai', 'azaiopenai', 'azaiinference'],
  cloudflare: ['cloudflareworkersai', 'workersai'],
  deepseek: ['deepseekai'],
  fireworks: ['fireworksai'],
  'github-copilot': ['githubcopilot'],
  google: ['gcpgenai', 'gcp', 'palm', 'aistudio'],
  groq: ['groqcloud'],
  mistral: ['mistralai'],
  moonshotai: ['kimi'],
  openrouter: [],
  ovhcloud: ['ovh', 'ovhai'],
  perplexity: ['perplexityai', 'pplx'],
  together: ['togethercomputer', 'togetherai'],
  'x-ai': ['grok', 'xai'],
  zai: [],
  zhipuai: ['zhipu', 'bigmodel'],
} satisfies Record<string, string[]>;

const ID_BY_LABEL = new Map(
  Object.entries(LABELS_BY_ID).flatMap(([id, labels]) => [id, ...labels].map(label => [squeeze(label), id] as const)),
);

function squeeze(label: string): string {
  return label.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The catalogue's provider for a label in any common spelling (`Azure-OpenAI`, `aws.bedrock`, `vertex_ai`), if any. */
export function findCatalogProvider(label: string): Provider | undefined {
  return findProvider({ providerId: ID_BY_LABEL.get(squeeze(label)) ?? label });
}
