import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Arrival } from './receiver.js';

/** Expects a request to have the right signature. Computes it like a receiver with the current secrets. */
export function assertSigned(arrival: Arrival, [current, previous]: [string, string?], now: number): void {
  const seconds = String(Math.floor(now / 1000));
  const secrets = previous === undefined ? [current] : [current, previous];
  const { headers, body, eventId } = arrival;
  const shown = {
    service: headers['x-service-signature'],
    previous: headers['x-service-signature-previous'],
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    standard: headers['webhook-signature'],
  };
  const signed = (secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  assert.deepEqual(shown, {
    service: signed(current),
    previous: previous === undefined ? undefined : signed(previous),
    id: eventId,
    timestamp: seconds,
    standard: secrets.map(secret => `v1,${standardSignature(secret, `${eventId}.${seconds}.`, body)}`).join(' '),
  });
}

function standardSignature(secret: string, head: string, body: Buffer): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(head).update(body).digest('base64');
}
