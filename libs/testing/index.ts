// For tests of parts that stand in the place of ours: the contract of a port as a list of cases, for any test runner.
export type { ContractCase } from './contract-case.js';
export { userDirectoryContract, type ContractPerson, type UserDirectoryGround } from './user-directory.contract.js';
