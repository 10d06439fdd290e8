import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { isGovernanceRoute } from 'nest-llm-governance';

/** Wraps the host's answers in an envelope. Answers of governance routes stay unchanged. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isGovernanceRoute(context)) return next.handle();
    return next.handle().pipe(map(data => ({ data })));
  }
}
