import type { ExecutionContext } from '@nestjs/common';
import { announcedBytesOf, setHeader, type HttpRequest, type HttpResponse } from '#access';
import { PayloadTooLargeError } from '#core';

const MIB = 1024 * 1024;

/** Refuses a body by its announced size, before a byte of it is read. What announces none is counted while it is read. */
export function refuseAnnounced(context: ExecutionContext, maxBytes: number): void {
  const http = context.switchToHttp();
  if (announcedBytesOf(http.getRequest<HttpRequest>()) <= maxBytes) return;
  // What is still on its way is not read; the connection cannot be used again.
  setHeader(http.getResponse<HttpResponse>(), 'Connection', 'close');
  const most = maxBytes < MIB ? `${maxBytes / 1024} KiB` : `${maxBytes / MIB} MiB`;
  throw new PayloadTooLargeError(`The body may be at most ${most}.`);
}
