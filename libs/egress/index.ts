// The only way for HTTP to leave this system.
export { EgressClient } from './egress-client.js';
export { EGRESS_OPTIONS, EGRESS_RULES, type EgressOptions } from './egress.options.js';
export type { EgressPurpose } from './addresses/allowed-targets.js';
export { covers, parseNetworks, type Network } from './addresses/network.js';
export { EgressRefusedError } from './egress.errors.js';
export type { JudgedTarget } from './judged-target.js';
export type {
  AnswerSink,
  EgressAnswer,
  EgressError,
  EgressErrorCode,
  EgressRequest,
  StreamControl,
  StreamFailure,
  StreamLimits,
  StreamRequest,
} from './egress-request.js';
