// Scheduled jobs, which a host sees in the registry of @nestjs/schedule.
export { Scheduler, SCHEDULER_OPTIONS, type ScheduledJob, type SchedulerOptions } from './scheduler.js';
export { SchedulerModule } from './scheduler.module.js';
