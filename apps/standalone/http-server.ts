import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';

const STATUS = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/**
 * Handles requests that are not valid HTTP, and so reach no route: sends the usual error body, and closes the
 * connection.
 */
export function answerMalformedRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const status = STATUS.get(error.code ?? '') ?? 400;
    const requestId = randomUUID();
    const message =
      status === 431
        ? 'The headers are larger than this server accepts.'
        : status === 408
          ? 'The request did not arrive in time; send it again.'
          : 'This is not a well-formed HTTP request.';
    const body = JSON.stringify({ error: 'bad_request', message, request_id: requestId });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/**
 * Whether an answer has already begun. A second head must not be written into it. Node's own handler checks the same.
 */
function isAnswering(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, '_headerSent') === true;
}

/** Closes the connections of slow clients after a time limit, so that the shutdown can continue. */
export function cutConnectionsAfter(server: Server, milliseconds: number): () => void {
  const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
  return () => clearTimeout(timer);
}
