// Protocols of tools around LLMs: AuthZEN and LiteLLM.
export { IntegrationsModule } from './integrations.module.js';
