// Decisions without a database: the services of this library in memory, for the tests of hosts.
export { policyInMemory } from './policy-in-memory.js';
export { PolicyMemory, type FixedAnswer } from './policy-memory.port.js';
