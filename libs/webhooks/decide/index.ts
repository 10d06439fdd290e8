// What is decided about a delivery with no process running: who signed it, and what comes after an attempt.

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
export { withoutSecrets } from './without-secrets.js';
