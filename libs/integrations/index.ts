// Integrations with other tools: AuthZEN, LiteLLM, OpenTelemetry and Claude Code.
export { IntegrationsModule } from './integrations.module.js';
