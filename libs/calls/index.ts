// Calls to providers, governed from the decision to the settlement.

// Open a call, and end it
export { GovernedCalls, type CallMade, type CallOptions } from './governed-calls.js';
export type { CallRequest, CallUsage, OpenCall, OpenOptions, UnavailableChoice } from './call.js';
// Read the caller of a request
export { callerOf } from '#policy';
export { RefusedError, type RefusalCode, type RefusalStatus } from './refused.errors.js';

// Meter a stream
export { meterStream, type AbortChoice, type MeterOptions } from './metered-stream.js';

// Govern a route of the host
export { Governed, GovernedDecision } from './http/governed.decorators.js';
export type { GovernedRoute } from './http/governed-route.js';

// Store the usage of calls
export { CallLedger, type CallProgress } from './call-ledger.js';
export type { CallRecord } from './call-record.js';
export { eventOf, plainEventOf } from './call-event.js';
export { LiveCalls } from './live-calls.js';
export { CallMarks } from './call-marks.js';
export { CallRecovery } from './call-recovery.js';
export { EndedCalls } from './ended-calls.js';
export { OpenPasses } from './open-passes.js';

// Set up the library
export { CallsModule } from './calls.module.js';
export { CALLS_OPTIONS, CALLS_RULES, type CallsOptions } from './calls.options.js';
