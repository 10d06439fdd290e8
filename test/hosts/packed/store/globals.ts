import {
  Catch,
  HttpException,
  Injectable,
  SetMetadata,
  UnauthorizedException,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type CustomDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isGovernanceRoute } from 'nest-llm-governance';
import { map, type Observable } from 'rxjs';

interface Request {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Response {
  status(code: number): Response;
  json(body: object): void;
}

const IS_PUBLIC = 'store:public';

export const Public = (): CustomDecorator => SetMetadata(IS_PUBLIC, true);

/** Refuses every request without a session of the store. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    if (context.switchToHttp().getRequest<Request>().headers['x-session'] === 'ada') return true;
    throw new UnauthorizedException('no session');
  }
}

/** Wraps the store's answers in an envelope. */
@Injectable()
export class Envelope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return isGovernanceRoute(context) ? next.handle() : next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

/** The store's error format. */
@Catch()
export class StoreErrors implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : numberIn(error, 'status');
    const problem = error instanceof HttpException ? error.getResponse() : 'failed';
    host.switchToHttp().getResponse<Response>().status(status).json({ store_error: problem });
  }
}

/** Reads a number from an error. Errors of body parsers contain their status. */
function numberIn(error: unknown, field: string): number {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'number' ? value : 500;
}
