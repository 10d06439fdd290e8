// Pure rules of deliveries: signatures, headers and the retry schedule.

export { newSigningSecret } from './signing-secret.js';
export { serviceSignature, standardSignature } from './signature.js';
export { deliveryHeaders, signatureHeaderName, type SigningSecrets } from './delivery-headers.js';
export {
  delayBefore,
  MAX_ATTEMPTS,
  outcomeOf,
  RETRY_DELAYS_MS,
  type AttemptOutcome,
  type AttemptTrigger,
} from './retry-schedule.js';
export { exchangedHeaders, readExchangedHeaders, type Headers } from './exchanged-headers.js';
export { LATENCY_BOUNDS_MS, percentileOf } from './latency-buckets.js';
export { withoutSecrets } from './without-secrets.js';
