// The only HTTP client for outbound calls.
export { EgressClient } from './egress-client.js';
export { EGRESS_OPTIONS, EGRESS_RULES, type EgressOptions } from './egress.options.js';
export { covers, parseNetworks } from './addresses/network.js';
export { EgressRefusedError } from './egress.errors.js';
export type { JudgedTarget } from './judged-target.js';
export type {
  AnswerSink,
  EgressAnswer,
  EgressErrorCode,
  EgressRequest,
  StreamControl,
  StreamFailure,
  StreamRequest,
} from './egress-request.js';
