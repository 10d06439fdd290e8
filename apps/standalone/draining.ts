import type { IncomingMessage, ServerResponse } from 'node:http';

/** Middleware that tells clients to close their connections once the shutdown has begun. */
export class Draining {
  private isDraining = false;

  /** From now on every answer has `Connection: close`, so that clients with a connection kept alive go elsewhere. */
  begin(): void {
    this.isDraining = true;
  }

  /** Middleware: also marks answers that are under way, as long as their head is not sent. */
  readonly handle = (_request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}
