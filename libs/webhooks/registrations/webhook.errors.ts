import { ConflictError, NotFoundError } from '#core';

/** Most webhooks of one organization: each event is delivered to all that subscribe to it. */
export const WEBHOOKS_MAX = 200;

/** The organization has no webhook of that id. */
export class WebhookNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no webhook ${id} in your organization.`);
  }
}

/** The organization has as many webhooks as it may have. */
export class TooManyWebhooksError extends ConflictError {
  constructor() {
    super(`Your organization has ${WEBHOOKS_MAX} webhooks, the maximum; delete unused ones.`);
  }
}

/** A paused webhook is not tested: the test would wait with everything else. */
export class WebhookPausedError extends ConflictError {
  constructor() {
    super('The webhook is paused; set enabled to true, then test it.');
  }
}
