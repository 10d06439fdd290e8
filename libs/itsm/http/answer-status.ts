import type { HttpResponse } from '#access';

/** Sets the status of an answer that the handler returns, on either platform. */
export function setStatus(response: HttpResponse, status: number): void {
  if ('status' in response) response.status(status);
  else response.statusCode = status;
}
