// The configuration of an organization as one document.
export { ConfigurationModule } from './configuration.module.js';
export {
  ConfigurationService,
  type AppliedObject,
  type ApplyOptions,
  type ApplyReport,
} from './configuration.service.js';

// Provide a kind of objects
export {
  ConfigurationKind,
  ConfigurationKinds,
  SettingsKind,
  type ConfigurationObject,
  type ShownOnce,
  type WantedObject,
} from './kinds/configuration-kind.port.js';
