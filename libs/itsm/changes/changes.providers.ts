import type { Provider } from '@nestjs/common';
import { ChangeAttempts } from './change-attempts.js';
import { ChangeLedger } from './change-ledger.js';
import { ChangeJob, ChangeJobTools } from './change.job.js';
import { FollowedIncidents } from './followed-incidents.js';

/** What tells platforms of changes of incidents. */
export const changeProviders: Provider[] = [ChangeAttempts, ChangeLedger, ChangeJobTools, ChangeJob, FollowedIncidents];
