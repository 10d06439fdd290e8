// Decisions without a database, for the tests of hosts: the services of this library, in memory.
export { policyInMemory } from './policy-in-memory.js';
export { PolicyMemory, type FixedAnswer } from './policy-memory.port.js';
