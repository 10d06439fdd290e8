import type { ExecutionContext } from '@nestjs/common';
import { announcedBytesOf, setHeader, type HttpRequest, type HttpResponse } from '#access';
import { PayloadTooLargeError } from '#core';

/** Refuses a body by its announced size, before a byte of it is read. What announces none is counted while it is read. */
export function refuseAnnounced(context: ExecutionContext, maxBytes: number): void {
  const http = context.switchToHttp();
  if (announcedBytesOf(http.getRequest<HttpRequest>()) <= maxBytes) return;
  // What is still on its way is not read; the connection cannot be used again.
  setHeader(http.getResponse<HttpResponse>(), 'Connection', 'close');
  throw new PayloadTooLargeError(`The body may be at most ${maxBytes / 1024} KiB.`);
}
