import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { ACCESS_CONTEXT } from './app-logger.js';

/** Middleware that logs every answered request as one line of JSON. Query, body and credential are left out. */
export function accessLog(): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  const logger = new Logger(ACCESS_CONTEXT);
  return (request, response, next) => {
    const begun = performance.now();
    const path = (Reflect.get(request, 'originalUrl') as string | undefined)?.split('?')[0] ?? '';
    response.once('close', () =>
      logger.log(
        JSON.stringify({
          method: request.method,
          path,
          status: response.statusCode,
          // True if the client disconnected before the whole answer was sent.
          ...(response.writableFinished ? {} : { aborted: true }),
          milliseconds: Math.round(performance.now() - begun),
          request_id: response.getHeader('X-Request-Id'),
        }),
      ),
    );
    next();
  };
}
