import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readInput, type HttpRequest } from '#access';

/** A query or body without fields. Any field is reported as an error. */
export class NothingDto {}

/**
 * An optional body without fields, for a route without input. Unlike a body with `@Body()`, it does not appear in the
 * API reference.
 */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): NothingDto => {
  return readInput(NothingDto, context.switchToHttp().getRequest<HttpRequest>().body ?? {}, 'body');
});
