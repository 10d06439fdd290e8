import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

/** Answers errors of all routes with the shop's own error body. */
@Catch()
export class ShopErrorsFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const status = thrown instanceof HttpException ? thrown.getStatus() : 500;
    host.switchToHttp().getResponse<Response>().status(status).json({ shop: 'sorry', status });
  }
}
