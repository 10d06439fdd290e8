import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware that makes clients close their connections once the shutdown has begun. */
export class Draining {
  private isDraining = false;

  /**
   * Begins the draining: every answer from now on has `Connection: close`, so that clients with keep-alive connections
   * switch to another replica.
   */
  begin(): void {
    this.isDraining = true;
  }

  /** The middleware. It also affects running requests whose headers are not sent yet. */
  readonly handle = (_request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}
