import type { HttpRequest } from '#access';

/** Runs work whose signal is aborted when the client closes its connection. */
export async function whileConnected<T>(
  request: HttpRequest,
  gone: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(gone());
  // A request is "closed" when its body was read; the connection is what tells.
  const socket = request.raw?.socket ?? request.socket;
  const isEmitter = socket !== undefined && 'once' in socket;
  if (isEmitter) socket.once('close', abort);
  try {
    return await work(controller.signal);
  } finally {
    if (isEmitter) socket.removeListener('close', abort);
  }
}
