import { ConflictError, NotFoundError } from '#core';

/** Maximum number of webhooks of one organization, because each event is sent to all subscribers. */
export const WEBHOOKS_MAX = 200;

/** The organization has no webhook with this id. */
export class WebhookNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no webhook ${id} in your organization.`);
  }
}

/** The organization has the maximum number of webhooks. */
export class TooManyWebhooksError extends ConflictError {
  constructor() {
    super(`Your organization has ${WEBHOOKS_MAX} webhooks, the maximum; delete unused ones.`);
  }
}

/** A paused webhook cannot be tested, because the ping would wait like its other deliveries. */
export class WebhookPausedError extends ConflictError {
  constructor() {
    super('The webhook is paused; set enabled to true, then test it.');
  }
}
