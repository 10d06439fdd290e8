import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DeliveryNotRetriableError, DeliveryRetry, RecoveryService, WebhookNotFoundError } from '#webhooks';
import type { Model } from './model.js';
import { stepOf, stepOn } from './step.js';
import { which } from './webhook-commands.js';

const HOUR_MS = 3_600_000;

function chosen({ deliveries }: Model, nth: number): Model['deliveries'][number] | undefined {
  // Prefers failed deliveries. For all others, the API only refuses the retry.
  const failed = deliveries.filter(({ delivery }) => delivery.status === 'failed');
  const others = deliveries.filter(({ delivery }) => delivery.status !== 'failed');
  return [...failed, ...others][nth % deliveries.length];
}

export const retry = fc.nat(5).map(nth =>
  stepOn(
    `retry(delivery ${nth})`,
    model => chosen(model, nth),
    async (history, { webhook, delivery }) => {
      const { world, model } = history;
      const asked = world.app.get(DeliveryRetry).retry(world.actor, webhook.id, delivery.id ?? '');
      if (webhook.isDeleted) await assert.rejects(asked, WebhookNotFoundError);
      else if (delivery.status !== 'failed') await assert.rejects(asked, DeliveryNotRetriableError);
      else {
        await asked;
        delivery.reopen('manual', model.now);
      }
      await history.settle();
    },
  ),
);

export const recover = fc.tuple(which, fc.constantFrom(500, 1_000, 36_000, 336_000, HOUR_MS)).map(([nth, ago]) =>
  stepOf(`recover the last ${ago} ms`, nth, async (history, webhook) => {
    const { world, model } = history;
    const since = model.now - ago;
    await world.app.get(RecoveryService).begin(world.actor, webhook.id, new Date(since));
    model.recover(webhook, since);
    await history.settle();
  }),
);
