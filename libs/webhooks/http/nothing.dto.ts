import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readInput, type HttpRequest } from '#access';

/** An empty query or body. Any field is rejected by name. */
export class NothingDto {}

/** An optional empty body, for a route without input. Unlike `@Body()`, it is not documented. */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): NothingDto => {
  return readInput(NothingDto, context.switchToHttp().getRequest<HttpRequest>().body ?? {}, 'body');
});
