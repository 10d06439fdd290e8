// Events and background tasks that are committed together with the business change, and the workers that execute them.

// Types of events
export * from './events/index.js';

// Emit and read events
export { EventOutbox, type EventConsumer, type FiredEvent, type NewEvent } from './store/event-outbox.js';
export { readEvents, type StoredEvent } from './store/event-reader.js';
export { EventListeners } from './listeners/event-listeners.js';
export { OnGovernanceEvent } from './listeners/on-governance-event.decorators.js';

// Work in the background
export { JobHandler } from './tasks/job-handler.js';
export type { NewTask, Outcome, Settled, Task, TaskName } from './tasks/task.js';
export { TaskQueue } from './tasks/task-queue.js';
export { OutboxWorker } from './tasks/outbox-worker.js';
export { DeadLetters } from './tasks/dead-letters.js';
export { SuspendedTasks } from './tasks/suspended-tasks.js';
export { PartitionUpkeep } from './partitions/partition-upkeep.js';
export { FOREVER_DAYS, type Retained } from './migrations/retention-floors.sql.js';

// Module
export { OUTBOX_OPTIONS, OUTBOX_RULES, type OutboxOptions } from './outbox.options.js';
export { OutboxLifecycle } from './outbox-lifecycle.js';
export { OutboxModule } from './outbox.module.js';
