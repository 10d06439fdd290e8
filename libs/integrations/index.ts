// Protocols of tools around LLMs: AuthZEN, LiteLLM and OpenTelemetry.
export { IntegrationsModule } from './integrations.module.js';
