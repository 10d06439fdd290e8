// Usage without a database, for hosts that test themselves: the services of this library over a memory.
export { usageInMemory } from './usage-in-memory.js';
export { UsageMemory } from './usage-memory.port.js';
export type { PricedEvent } from '../ingest/priced-event.js';
