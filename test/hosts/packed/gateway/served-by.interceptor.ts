import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

/** Wraps every answer in another object, including answers of governance and streams. */
@Injectable()
export class ServedBy implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((answer: unknown) => ({ ...Object(answer), served_by: 'gateway' })));
  }
}
