import { describe, expect, it, jest } from '@jest/globals';
import { BadRequestException, ForbiddenException, HttpException, Logger, type ArgumentsHost } from '@nestjs/common';
import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedMediaTypeError,
} from '#core';
import { ErrorFilter } from './error.filter.js';

Logger.overrideLogger(false);

/** The parts of a response that the filter uses, on both platforms. */
function answerOf(thrown: unknown, headersSent = false) {
  const headers: Record<string, string> = {};
  const sent = { status: 0, body: undefined as unknown };
  const response = {
    headersSent,
    setHeader: (name: string, value: string) => (headers[name] = value),
    status(code: number) {
      sent.status = code;
      return { send: (body: unknown) => (sent.body = body) };
    },
  };
  const http = { getRequest: () => ({ headers: {} }), getResponse: () => response };
  // The filter uses only this part of the ArgumentsHost.
  new ErrorFilter().catch(thrown, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return { ...sent, headers };
}

const withCode = (code: string, message = '') => Object.assign(new Error(message), { code });
/** The error that Express throws for a path such as `/%ff`. */
const badPath = () => Object.assign(new URIError('m'), { status: 400, statusCode: 400 });

describe('error bodies', () => {
  it.each([
    [new BadRequestError('m'), 400, 'bad_request'],
    [new UnauthorizedError('m'), 401, 'unauthorized'],
    [new ForbiddenError('m'), 403, 'forbidden'],
    [new NotFoundError('m'), 404, 'not_found'],
    [new ConflictError('m'), 409, 'conflict'],
    [new PayloadTooLargeError('m'), 413, 'payload_too_large'],
    [new UnsupportedMediaTypeError('m'), 415, 'unsupported_media_type'],
    [new RateLimitedError('m', 7), 429, 'rate_limited'],
    [new UnavailableError('m'), 503, 'unavailable'],
    [new ForbiddenException('m'), 403, 'forbidden'],
    [new HttpException('m', 404), 404, 'not_found'],
    [new HttpException('m', 405), 400, 'bad_request'],
    [new HttpException('m', 502), 500, 'internal'],
    [Object.assign(new Error('m'), { statusCode: 413 }), 413, 'payload_too_large'],
    [Object.assign(new SyntaxError('m'), { status: 400 }), 400, 'bad_request'],
    [withCode('ECONNREFUSED'), 503, 'unavailable'],
    [withCode('57P01'), 503, 'unavailable'],
    [withCode('08006'), 503, 'unavailable'],
    [withCode('53300'), 503, 'unavailable'],
    [new Error('Connection terminated unexpectedly'), 503, 'unavailable'],
    [new Error('Query read timeout'), 503, 'unavailable'],
    [new Error('Client was closed and is not queryable'), 503, 'unavailable'],
    [withCode('57014', 'canceling statement due to statement timeout'), 503, 'unavailable'],
    [withCode('25006', 'cannot execute INSERT in a read-only transaction'), 503, 'unavailable'],
    [new Error('wrapped', { cause: withCode('ECONNRESET') }), 503, 'unavailable'],
    [withCode('ENOENT'), 500, 'internal'],
    [new TypeError('a mistake of ours'), 500, 'internal'],
    [withCode('40P01'), 503, 'unavailable'],
    [withCode('22008'), 400, 'bad_request'],
    [new Error('wrapped', { cause: withCode('22P05') }), 400, 'bad_request'],
    [withCode('22'), 500, 'internal'],
    [badPath(), 404, 'not_found'],
    [new BadRequestException('m', { cause: badPath() }), 404, 'not_found'],
    [new URIError('a mistake of ours'), 500, 'internal'],
    [withCode('23505', 'key 08006 57P01'), 500, 'internal'],
    [new Error('secret'), 500, 'internal'],
    ['a text', 500, 'internal'],
    [null, 500, 'internal'],
  ])('for %p are %d %s', (thrown, status, error) => {
    const answer = answerOf(thrown);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, message: expect.any(String), request_id: answer.headers['X-Request-Id'] });
  });

  it('name the invalid fields', () => {
    expect(answerOf(BadRequestError.field('name', 'is required')).body).toMatchObject({
      message: 'name: is required',
      details: [{ field: 'name', message: 'is required' }],
    });
  });

  it('hide an unknown cause from the caller, and log it with the request id', () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { body, headers } = answerOf(new Error('password=hunter2'));
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(log.mock.calls[0]?.[0]).toMatch(new RegExp(`^${headers['X-Request-Id']} Error: password=hunter2`));
  });

  it('hide a value that the database refused, and log it with the request id', () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    log.mockClear();
    const { body, headers } = answerOf(withCode('22008', 'timestamp out of range: "secret"'));
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(log.mock.calls[0]?.[0]).toMatch(new RegExp(`^${headers['X-Request-Id']} .*secret`));
  });

  it('say when to retry', () => {
    expect(answerOf(new UnauthorizedError('m')).headers['WWW-Authenticate']).toBe('Bearer');
    expect(answerOf(new RateLimitedError('m', 7)).headers['Retry-After']).toBe('7');
  });

  it('are not sent into an answer that has begun', () => {
    expect(answerOf(new Error('late'), true).body).toBeUndefined();
  });
});
