import { BadRequestError, type FieldError } from '#core';

/** The URL cannot be called with the current settings. The message is a sentence for the person who entered the URL. */
export class EgressRefusedError extends BadRequestError {
  constructor(
    readonly reason: 'refused_url' | 'refused_address',
    message: string,
    details?: FieldError[],
  ) {
    super(message, details);
  }
}

/** The name has no address, or no name server answered in time. */
export class NameUnresolvedError extends Error {
  constructor(
    readonly host: string,
    readonly reason: string,
  ) {
    super(`The name ${host} could not be resolved: ${reason}.`);
    this.name = 'NameUnresolvedError';
  }
}
