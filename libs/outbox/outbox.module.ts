import { Module } from '@nestjs/common';
import { Clock } from '#core';
import type { Library } from '#database';
import { EventListeners } from './listeners/event-listeners.js';
import { ListenerJob } from './listeners/listener.job.js';
import { OutboxMigration0160 } from './migrations/0160-outbox.migration.js';
import { OutboxLifecycle } from './outbox-lifecycle.js';
import { PartitionUpkeep } from './partitions/partition-upkeep.js';
import { EventOutbox } from './store/event-outbox.js';
import { OutboxWorker } from './tasks/outbox-worker.js';
import { TaskMetrics } from './tasks/task-metrics.js';
import { SuspendedTasks } from './tasks/suspended-tasks.js';
import { TaskQueue } from './tasks/task-queue.js';
import { DeadLetters } from './tasks/dead-letters.js';
import { Wakeup } from './tasks/wakeup.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Events and background tasks. Both are committed together with the change that causes them. */
@Module({})
export class OutboxModule {
  static readonly library: Library = {
    name: 'outbox',
    providers: [
      Wakeup,
      TaskQueue,
      OutboxWorker,
      SuspendedTasks,
      DeadLetters,
      TaskMetrics,
      EventOutbox,
      EventListeners,
      {
        provide: ListenerJob,
        inject: [EventListeners, TaskQueue, Clock],
        useFactory: (listeners: EventListeners, queue: TaskQueue, clock: Clock) =>
          new ListenerJob(listeners, queue, clock),
      },
      PartitionUpkeep,
      OutboxLifecycle,
    ],
    controllers: [],
    entities: [],
    migrations: [
      {
        name: '0160_outbox',
        class: OutboxMigration0160,
        tables: ['events', 'retention_floors', 'task_holds', 'tasks'],
      },
    ],
    personal: PERSONAL_TABLES,
    exports: [DeadLetters],
  };
}
