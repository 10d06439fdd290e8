// Scheduled jobs. A host finds them in the registry of @nestjs/schedule.
export { Scheduler, SCHEDULER_OPTIONS, type ScheduledJob, type SchedulerOptions } from './scheduler.js';
export { SchedulerModule } from './scheduler.module.js';
