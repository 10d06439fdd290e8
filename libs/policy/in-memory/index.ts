// Decisions without a database, for hosts that test themselves: the services of this library over a memory.
export { policyInMemory } from './policy-in-memory.js';
export { PolicyMemory, type FixedAnswer } from './policy-memory.port.js';
