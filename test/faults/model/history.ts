import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { EventType } from '#outbox';
import { WebhookService } from '#webhooks';
import { Model, ModelWebhook } from './model.js';
import type { ModelDelivery } from './model-delivery.js';
import type { Arrival, Reply, Will } from './receiver.js';
import { assertSigned } from './signatures.js';
import { assertState } from './state.js';
import type { Tally } from './tally.js';
import type { World } from './world.js';

/** The longest real time of a step whose result is certain. A little less than the shortest delay of the schedule. */
const TELLING_MS = 900;

interface Expected {
  webhook: ModelWebhook;
  delivery: ModelDelivery;
  due: number;
}

/** One history in a world: runs commands and compares the results with the model. */
export class History {
  /** The last time at which the workers were idle. Attempts that end later also started later. */
  #restedAt = performance.now();
  readonly #held = new Map<Arrival, { delivery: ModelDelivery; lease: number }>();

  constructor(
    readonly world: World,
    readonly model: Model,
    readonly tally: Tally,
  ) {}

  async register(type: EventType | null, enabled: boolean, wills: readonly Will[]): Promise<void> {
    const { world, model } = this;
    const endpointId = randomUUID();
    world.receiver.will(endpointId, wills);
    const events = type === null ? null : [type];
    const draft = { url: world.receiver.urlOf(endpointId), events, enabled };
    const { webhook, signingSecret } = await world.app.get(WebhookService).register(world.actor, draft);
    model.webhooks.push(new ModelWebhook(webhook.id, endpointId, type, enabled, signingSecret));
  }

  async advance(milliseconds: number): Promise<void> {
    await this.world.advance(milliseconds);
    this.model.now += milliseconds;
    await this.settle();
  }

  /** Advances the time. A worker claims some of the due deliveries and dies before it has sent anything. */
  async advanceWithDyingWorker(milliseconds: number, want: number): Promise<void> {
    this.model.now += milliseconds;
    const claimed = await this.world.advanceWithDyingWorker(milliseconds, want);
    const due = new Map(this.model.due.map(({ delivery }) => [delivery.id, delivery]));
    for (const id of claimed) {
      const delivery = due.get(id);
      assert.ok(delivery, `a worker was given ${id}, which is not due`);
      delivery.claim(this.model.now);
      this.tally.count('worker died before the request');
    }
    await this.settle();
  }

  /** Lets the workers handle due deliveries, and compares arrivals and stored rows with the model. */
  async settle(): Promise<void> {
    const { world, model } = this;
    const expected = this.#begin();
    await world.quiet(expected.length);
    const tookMs = performance.now() - this.#restedAt;
    try {
      this.#compare(world.receiver.take(), expected);
      await assertState(world, model, tookMs);
    } catch (error) {
      // Discards the history if the machine stopped for as long as the shortest delay. The world's time did not advance
      // meanwhile, so it is unknown which deliveries were due.
      fc.pre(tookMs < TELLING_MS);
      throw error;
    }
    this.#restedAt = performance.now();
  }

  /** Answers the held requests. An answer has no effect if another worker repeated the attempt or the webhook was deleted. */
  async release(reply: Reply): Promise<void> {
    for (const { arrival } of this.world.receiver.release(reply)) {
      const held = this.#held.get(arrival);
      assert.ok(held);
      this.#held.delete(arrival);
      const counts = held.delivery.end(held.lease, reply, this.model.now);
      this.tally.count(counts ? 'answered late' : 'answered too late');
    }
    await this.settle();
  }

  /** Finishes all deliveries, as the last command of every history. */
  async finish(): Promise<void> {
    const { world, model, tally } = this;
    if (world.receiver.held.length > 0) await this.release(500);
    for (const webhook of model.living) {
      await world.app.get(WebhookService).delete(world.actor, webhook.id);
      webhook.delete();
    }
    await this.settle();
    for (const { delivery } of model.deliveries) if (delivery.status !== 'pending') tally.count(delivery.status);
  }

  /** Makes the model do the next step of the workers. Returns the expected requests. */
  #begin(): Expected[] {
    const { model, tally } = this;
    const expected: Expected[] = [];
    for (const { webhook, delivery } of model.due) {
      const due = delivery.coming?.due ?? NaN;
      if (delivery.begin(model.now)) expected.push({ webhook, delivery, due });
      else tally.count('given up after interruptions');
    }
    return expected;
  }

  #compare(arrived: readonly Arrival[], expected: readonly Expected[]): void {
    const names = arrived.map(({ endpointId, eventId }) => `${endpointId} ${eventId}`);
    const byName = new Map(expected.map(one => [`${one.webhook.endpointId} ${one.delivery.event.wireId}`, one]));
    assert.deepEqual(names.toSorted(), [...byName.keys()].toSorted());
    const last = new Map<ModelWebhook, number>();
    for (const [nth, arrival] of arrived.entries()) {
      const one = byName.get(names[nth] ?? '');
      assert.ok(one);
      const { webhook, delivery, due } = one;
      assert.ok(arrival.body.equals(delivery.event.body), `the bytes of ${arrival.eventId} are not those of its event`);
      this.#compareSignatures(arrival, webhook);
      if (this.world.isOrdered) assert.ok(due >= (last.get(webhook) ?? 0), 'what was due first did not come first');
      last.set(webhook, due);
      this.#answered(arrival, delivery);
    }
  }

  #compareSignatures(arrival: Arrival, webhook: ModelWebhook): void {
    const secrets = webhook.secretsInForce(this.model.now);
    assertSigned(arrival, secrets, this.model.now);
    if (secrets.length > 1) this.tally.count('signed with two secrets');
  }

  #answered(arrival: Arrival, delivery: ModelDelivery): void {
    const { coming } = delivery;
    assert.ok(coming);
    if (coming.trigger !== 'schedule') this.tally.count(`${coming.trigger} attempt`);
    if (arrival.did === 'hold') this.#held.set(arrival, { delivery, lease: coming.lease });
    else if (arrival.did === 'lost') this.tally.count('outcome lost');
    else delivery.end(coming.lease, arrival.did, this.model.now);
  }
}
