// For tests of parts that stand in the place of ours: the contract of a port as a list of cases, for any test runner.
export type { ContractCase } from './contract-case.js';
export { userDirectoryContract, type ContractPerson, type UserDirectoryGround } from './user-directory.contract.js';
export { itsmAdapterContract } from './itsm-adapter.contract.js';
export type { Interference, ItsmAdapterGround, Trouble } from './itsm/ground.js';
export { responseOf, ScriptedAdapterHttp, type PlatformAnswer } from './itsm/scripted-adapter-http.js';
