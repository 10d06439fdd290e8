import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware that tells clients to close their connections after the shutdown has begun. */
export class Draining {
  private isDraining = false;

  /**
   * From now on, every answer has `Connection: close`, so that clients with keep-alive connections switch to another
   * replica.
   */
  begin(): void {
    this.isDraining = true;
  }

  /** Middleware. Also marks running requests whose headers are not sent yet. */
  readonly handle = (_request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}
