// Calls to providers, governed from the decision to the settlement.

// Open a call, and end it
export { GovernedCalls } from './governed-calls.js';
export {
  UNAVAILABLE_CHOICES,
  type CallRequest,
  type CallUsage,
  type OpenCall,
  type OpenOptions,
  type UnavailableChoice,
} from './call.js';
export { RefusedError, type RefusalCode, type RefusalStatus } from './refused.error.js';

// Wire it
export { CallsModule } from './calls.module.js';
export { CALLS_OPTIONS, CALLS_RULES, type CallsOptions } from './calls.options.js';
