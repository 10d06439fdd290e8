import type { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpResponse } from '../request/http-request.js';

/**
 * Writes answers that are streams. A handler that takes `@Res()` and answers here sends what it means to send: the
 * interceptors of the host, which run after it, get `undefined` and cannot put the stream into an object.
 */
@Injectable()
export class AnswerWriter {
  constructor(private readonly http: HttpAdapterHost) {}

  /**
   * Answers with JSON or a stream, with status and headers of the route's decorators. Reads a stream no faster than the
   * client does, and destroys it when the client has gone.
   */
  write(response: HttpResponse, answer: object): void {
    this.http.httpAdapter.reply(response, answer);
  }
}

/**
 * An answer that is sent while it is made. What fails halfway breaks the connection: a part of it would pass for the
 * whole.
 */
export function streamedAnswer(content: Readable, headers: { type: string; disposition?: string }): StreamableFile {
  // Fastify does so of itself, and never calls this.
  return new StreamableFile(content, headers).setErrorHandler((_error, response) => {
    // Nest's type of a response lacks what Node's has.
    const destroy: unknown = Reflect.get(response, 'destroy');
    if (typeof destroy === 'function') Reflect.apply(destroy, response, []);
    else response.end();
  });
}
