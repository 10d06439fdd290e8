import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { isGovernanceRoute } from 'nest-llm-governance';

/** Puts the host's answers into an envelope, and leaves those of governance as they are. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isGovernanceRoute(context)) return next.handle();
    return next.handle().pipe(map(data => ({ data })));
  }
}
