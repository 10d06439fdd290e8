import type { HttpResponse } from '#access';
import { PINGS_PER_MINUTE, type TooManyPingsError } from '../ping/ping.service.js';

/**
 * Shows the limit of tests of a webhook, in place of the general one: that has requests left, and an answer must not
 * say both. As in draft-ietf-httpapi-ratelimit-headers-10.
 */
export function showPingLimit(response: HttpResponse, { retryAfterSeconds }: TooManyPingsError): void {
  const set = (name: string, value: string): unknown =>
    'setHeader' in response ? response.setHeader(name, value) : response.header(name, value);
  set('RateLimit-Policy', `"ping";q=${PINGS_PER_MINUTE};w=60`);
  set('RateLimit', `"ping";r=0;t=${retryAfterSeconds}`);
}
