// Usage without a database, for the tests of hosts: the services of this library, in memory.
export { usageInMemory } from './usage-in-memory.js';
export { UsageMemory } from './usage-memory.port.js';
export type { PricedEvent } from '../ingest/priced-event.js';
