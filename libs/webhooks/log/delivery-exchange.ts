import { Injectable } from '@nestjs/common';
import { isoTime, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { readEvents } from '#outbox';
import { readExchangedHeaders, type Headers } from '../decide/index.js';
import { DeliveryNotFoundError, type ShownAttempt, type ShownDelivery } from './delivery.js';
import { oneDelivery } from './delivery-rows.js';

/** An attempt with its headers. */
export interface ShownExchange extends ShownAttempt {
  /** The request headers as sent, including the signatures; null if the end of the attempt is unknown. */
  request_headers: Headers | null;
  /** Null without an answer, or if it may not be shown. */
  response_headers: Headers | null;
}

/** A delivery with everything that was sent and answered. */
export interface ShownDeliveryExchange extends ShownDelivery {
  attempts: readonly ShownExchange[];
  /** The body that was signed and sent, as UTF-8; null once the retention of the event has ended. */
  request_body: string | null;
}

interface HeaderRow {
  number: number;
  started_at: string;
  headers: string | null;
}

const FIND = `select webhook_id, event_id from ${SCHEMA}.webhook_deliveries where org_id = $1 and id = $2`;

const HEADERS = `
select number, ${isoTime('started_at')} as started_at, headers from ${SCHEMA}.webhook_attempts
where org_id = $1 and delivery_id = $2 and headers is not null order by number, id`;

/** Reads the requests that were sent to webhooks, and their answers. */
@Injectable()
export class DeliveryExchanges {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * A delivery with its body, and the headers of all its attempts.
   * @throws DeliveryNotFoundError
   */
  async of(orgId: string, id: string): Promise<ShownDeliveryExchange> {
    return this.database.snapshot(orgId, async em => {
      const tx = sqlOf(em);
      const [found] = await tx.query<{ webhook_id: string; event_id: string }>(FIND, [orgId, id]);
      if (!found) throw new DeliveryNotFoundError(id);
      const delivery = await oneDelivery(em, orgId, found.webhook_id, id);
      const event = (await readEvents(em, orgId, [found.event_id])).get(found.event_id);
      const rows = await tx.query<HeaderRow>(HEADERS, [orgId, id]);
      const headers = new Map(rows.map(row => [`${row.number} ${row.started_at}`, readExchangedHeaders(row.headers)]));
      const attempts = delivery.attempts.map(attempt => {
        const exchanged = headers.get(`${attempt.number} ${attempt.started_at}`);
        return {
          ...attempt,
          request_headers: exchanged?.request ?? null,
          response_headers: exchanged?.response ?? null,
        };
      });
      return { ...delivery, attempts, request_body: event?.body.toString('utf8') ?? null };
    });
  }
}
