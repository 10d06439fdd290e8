import type { Provider } from '@nestjs/common';
import { ChangeAttempts } from './change-attempts.js';
import { ChangeLedger } from './change-ledger.js';
import { ChangeJob, ChangeJobTools } from './change.job.js';
import { FollowedIncidents } from './followed-incidents.js';

/** Providers that send changes of incidents to platforms. */
export const changeProviders: Provider[] = [ChangeAttempts, ChangeLedger, ChangeJobTools, ChangeJob, FollowedIncidents];
