import fc from 'fast-check';
import type { EventType } from '#outbox';
import { WebhookService } from '#webhooks';
import type { Will } from './receiver.js';
import { step, stepOf } from './step.js';

const WEBHOOKS_MAX = 3;

/** The index of an existing webhook. */
export const which = fc.nat(WEBHOOKS_MAX - 1);

const type = fc.constantFrom<EventType>('policy_violation', 'device_revoked');

const SUCCEEDS: Will[] = [200, 200, 200];
const FAILS: Will[] = [500, 500, 500, 404, 302, 'close'];
const NEVER_TOLD: Will[] = ['lost', 'lost', 'hold'];

/** The endpoint's behavior for the first request of a delivery, for the second, and for all later ones. */
export const wills = fc.array(fc.constantFrom<Will>(...SUCCEEDS, ...FAILS, ...NEVER_TOLD), {
  minLength: 1,
  maxLength: 3,
});

export const register = fc.tuple(fc.option(type, { freq: 2 }), fc.boolean(), wills).map(([type, enabled, wills]) =>
  step(
    `register(${type ?? 'all types'}, ${enabled ? 'enabled' : 'paused'}) behaving ${wills.join(', ')}`,
    model => model.living.length < WEBHOOKS_MAX,
    history => history.register(type, enabled, wills),
  ),
);

export const fire = fc.array(type, { minLength: 1, maxLength: 3 }).map(types =>
  step(
    `fire(${types.join(', ')})`,
    model => model.living.length > 0,
    async (history, model) => {
      model.fire(await history.world.fire(types));
      await history.settle();
    },
  ),
);

export const pause = which.map(nth =>
  stepOf('pause', nth, async (history, webhook) => {
    const { world } = history;
    await world.app.get(WebhookService).change(world.actor, webhook.id, { enabled: false });
    webhook.enabled = false;
    await history.settle();
  }),
);

export const resume = which.map(nth =>
  stepOf('resume', nth, async (history, webhook) => {
    const { world } = history;
    await world.app.get(WebhookService).change(world.actor, webhook.id, { enabled: true });
    webhook.enabled = true;
    await history.settle();
  }),
);

export const remove = which.map(nth =>
  stepOf('delete', nth, async (history, webhook) => {
    const { world } = history;
    await world.app.get(WebhookService).delete(world.actor, webhook.id);
    webhook.delete();
    await history.settle();
  }),
);

export const rotate = fc.tuple(which, fc.constantFrom(0, 1, 24)).map(([nth, overlapHours]) =>
  stepOf(`rotate ${overlapHours} h`, nth, async (history, webhook) => {
    const { world, model } = history;
    const service = world.app.get(WebhookService);
    const { signingSecret } = await service.rotateSecret(world.actor, webhook.id, overlapHours);
    webhook.rotate(signingSecret, overlapHours, model.now);
  }),
);

/** Changes an endpoint's behavior from now on. */
export const behave = fc
  .tuple(which, wills)
  .map(([nth, wills]) =>
    stepOf(`behave ${wills.join(', ')}`, nth, async ({ world }, webhook) =>
      world.receiver.will(webhook.endpointId, wills),
    ),
  );
