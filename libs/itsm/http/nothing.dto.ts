import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readInput, type HttpRequest } from '#access';

/** An empty query or body. Any field is rejected by name. */
export class NothingDto {}

/**
 * Parameter decorator for routes without a body: accepts no body, or an empty object. Unlike `@Body()`, it adds no body
 * to the OpenAPI document.
 */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): NothingDto => {
  return readInput(NothingDto, context.switchToHttp().getRequest<HttpRequest>().body ?? {}, 'body');
});
