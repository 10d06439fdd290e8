import type { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpResponse } from '../request/http-request.js';

/**
 * Writes streamed responses. Use it in a handler that injects `@Res()`: interceptors of the host then get `undefined`
 * and cannot wrap the stream into an object.
 */
@Injectable()
export class AnswerWriter {
  constructor(private readonly http: HttpAdapterHost) {}

  /**
   * Responds with JSON or a stream, with the status and headers of the route's decorators. Applies backpressure to the
   * stream, and destroys it when the client disconnects.
   */
  write(response: HttpResponse, answer: object): void {
    this.http.httpAdapter.reply(response, answer);
  }
}

/**
 * A response that is generated while it is sent. A failure in between breaks the connection, so that a partial response
 * is not taken for a complete one.
 */
export function streamedAnswer(content: Readable, headers: { type: string; disposition?: string }): StreamableFile {
  // Fastify breaks the connection itself, and never calls this.
  return new StreamableFile(content, headers).setErrorHandler((_error, response) => {
    // Nest's response type lacks this method of Node's.
    const destroy: unknown = Reflect.get(response, 'destroy');
    if (typeof destroy === 'function') Reflect.apply(destroy, response, []);
    else response.end();
  });
}
