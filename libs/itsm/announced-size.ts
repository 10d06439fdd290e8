import type { ExecutionContext } from '@nestjs/common';
import { announcedBytesOf, setHeader, type HttpRequest, type HttpResponse } from '#access';
import { PayloadTooLargeError } from '#core';

const MIB = 1024 * 1024;

/**
 * Refuses a body that is too large by its `content-length`, before any byte of it is read. The bytes of a body without
 * this header are counted while it is read.
 */
export function refuseAnnounced(context: ExecutionContext, maxBytes: number): void {
  const http = context.switchToHttp();
  if (announcedBytesOf(http.getRequest<HttpRequest>()) <= maxBytes) return;
  // The rest of the body is never read, so the connection cannot be reused.
  setHeader(http.getResponse<HttpResponse>(), 'Connection', 'close');
  const most = maxBytes < MIB ? `${maxBytes / 1024} KiB` : `${maxBytes / MIB} MiB`;
  throw new PayloadTooLargeError(`The body may be at most ${most}.`);
}
