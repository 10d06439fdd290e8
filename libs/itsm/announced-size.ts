import type { HttpRequest } from '#access';
import { PayloadTooLargeError } from '#core';

/** Refuses a body by its announced size, before a byte of it is read. What announces none is counted while it is read. */
export function refuseAnnounced(request: HttpRequest, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw new PayloadTooLargeError(`The body may be at most ${maxBytes / 1024} KiB.`);
  }
}
