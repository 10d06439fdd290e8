// Protocols of tools around LLMs: AuthZEN.
export { IntegrationsModule } from './integrations.module.js';
