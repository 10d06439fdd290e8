// The module: import it, give it a database and keys.
export { GovernanceModule } from './governance.module.js';
export type {
  ForRootAsyncOptions,
  ForRootOptions,
  GovernanceOptions,
  GovernanceStructure,
} from './governance.options.js';

// Operate it
export { createOpenApiDocument } from './openapi.js';
export { GovernanceHealth, type HealthDto } from './health/governance-health.js';
export { MIGRATIONS } from './features.js';
