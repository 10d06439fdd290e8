import type { Frame } from '../vendor.js';
import { errorObject } from './errors.js';

/** An error in a stream of completions: an event without a name whose data is the error object. */
export function streamError(): Frame[] {
  const message = 'The server had an error while processing your request. Sorry about that!';
  return [{ data: errorObject(message, { type: 'server_error' }), tokens: 0 }];
}
