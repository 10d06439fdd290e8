// Test a host without a database: the code of the real module decides and prices; everything else is in memory.
export { GovernanceTestingModule } from './host/governance-testing.module.js';
export type { GovernanceTestingOptions } from './host/testing-options.js';
export { GovernanceMemory, type TestPolicy } from './host/governance-memory.js';
export type { TestPerson } from './host/people-in-memory.js';
export type {
  RecordedAct,
  RecordedDecisionCall,
  RecordedIncident,
  RecordedRelease,
  RecordedUsage,
} from './host/recorded.js';

// Test your own implementations of ports: the contract of each port is a list of cases for any test runner.
export type { ContractCase, SkippableTest } from './contract-case.js';
export { userDirectoryContract, type ContractPerson, type UserDirectoryGround } from './user-directory.contract.js';
export { itsmAdapterContract } from './itsm-adapter.contract.js';
export type { FailureInSuccess, Interference, ItsmAdapterGround, Trouble } from './itsm/ground.js';
export { responseOf, ScriptedAdapterHttp, type PlatformAnswer } from './itsm/scripted-adapter-http.js';
export { serveDouble, type ServedDouble } from './itsm/serve-double.js';
export { clockContract, type ClockGround } from './clock.contract.js';
export {
  conditionOperatorContract,
  type ConditionOperatorGround,
  type OperatorExample,
} from './condition-operator.contract.js';
export { pricingCatalogContract, type PricingCatalogGround } from './pricing-catalog.contract.js';
export { secretCipherContract, type SecretCipherGround } from './secret-cipher.contract.js';
export { chatCommandAdapterContract, type ChatCommandAdapterGround } from './chat-command-adapter.contract.js';
export { auditSinkContract, type AuditSinkGround } from './audit-sink.contract.js';
export { securityEventsContract, type SecurityEventsGround } from './security-events.contract.js';
export { principalResolverContract, type PrincipalResolverGround } from './principal-resolver.contract.js';
export {
  deviceDirectoryContract,
  type DeviceDirectoryGround,
  type EnrolledDevice,
} from './device-directory.contract.js';
export { spendGuardContract, type SpendGuardGround } from './spend-guard.contract.js';
