import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readInput, type HttpRequest } from '#access';

/** An empty query or body. Any field is rejected by name. */
export class NothingDto {}

/** For a route that says everything by its path: no body, or an empty object. Unlike `@Body()` it documents none. */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): NothingDto => {
  return readInput(NothingDto, context.switchToHttp().getRequest<HttpRequest>().body ?? {}, 'body');
});
