import type { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpResponse } from '../request/http-request.js';

/**
 * Writes streamed responses. Use it in a handler that injects `@Res()`. Interceptors of the host then receive
 * `undefined`, so they cannot wrap the stream into an object.
 */
@Injectable()
export class AnswerWriter {
  constructor(private readonly http: HttpAdapterHost) {}

  /**
   * Responds with JSON or a stream, using the status and headers of the route's decorators. A stream gets backpressure,
   * and is destroyed when the client disconnects.
   */
  write(response: HttpResponse, answer: object): void {
    this.http.httpAdapter.reply(response, answer);
  }
}

/**
 * A response that is generated while it is sent. If the generation fails, the connection is broken, so that the client
 * does not take the partial response for a complete one.
 */
export function streamedAnswer(content: Readable, headers: { type: string; disposition?: string }): StreamableFile {
  // Express calls this handler. Fastify breaks the connection itself.
  return new StreamableFile(content, headers).setErrorHandler((_error, response) => {
    // Nest's response type lacks Node's method `destroy`.
    const destroy: unknown = Reflect.get(response, 'destroy');
    if (typeof destroy === 'function') Reflect.apply(destroy, response, []);
    else response.end();
  });
}
