// The configuration of an organization as one document.
export { ConfigurationModule } from './configuration.module.js';
export {
  ConfigurationService,
  type AppliedObject,
  type ApplyOptions,
  type ApplyReport,
} from './configuration.service.js';
export type { Outcome } from './plan/plan.js';
export type { FieldChange } from './plan/differences.js';

// What a library provides for each kind.
export { ConfigurationKinds } from './kinds/configuration-kinds.js';
export {
  ConfigurationKind,
  SettingsKind,
  type ConfigurationObject,
  type ShownOnce,
  type WantedObject,
} from './kinds/configuration-kind.port.js';
