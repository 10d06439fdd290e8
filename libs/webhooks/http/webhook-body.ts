import { readInput } from '#access';
import { BadRequestError } from '#core';
import { eventsFaults } from '../registrations/webhook-rules.js';

/**
 * Reads a webhook's body by its DTO, and `events` apart from it, because each entry at fault is named by its place.
 * @throws BadRequestError naming every field at fault, also where both parts have some.
 */
export function readWebhookBody<T extends { events?: unknown }>(type: new () => T, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('events' in body)) {
    return readInput(type, body, 'body');
  }
  const { events, ...rest } = body;
  const faults = eventsFaults(events);
  try {
    const dto = readInput(type, rest, 'body');
    if (faults.length === 0) return Object.assign(dto, { events });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    faults.unshift(...(error.details ?? []));
  }
  throw BadRequestError.fields(faults);
}
