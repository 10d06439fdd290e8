import { Injectable, type OnModuleInit, type Provider } from '@nestjs/common';
import { Clock } from '#core';
import { EgressClient } from '#egress';
import { EventOutbox, OutboxWorker, PartitionUpkeep } from '#outbox';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.options.js';
import { DeliveryJob } from './delivery.job.js';
import { SigningKeys } from './signing-keys.js';
import { Subscriptions } from './subscriptions.js';

/** Creates deliveries for events, and makes their attempts. */
@Injectable()
class DeliveryWiring implements OnModuleInit {
  constructor(
    private readonly outbox: EventOutbox,
    private readonly worker: OutboxWorker,
    private readonly upkeep: PartitionUpkeep,
    private readonly subscriptions: Subscriptions,
    private readonly job: DeliveryJob,
  ) {}

  onModuleInit(): void {
    this.outbox.addConsumer(this.subscriptions);
    this.worker.addJob(this.job);
    this.upkeep.add('webhook_deliveries');
    this.upkeep.add('webhook_attempts');
  }
}

/** Providers that send webhooks. */
export const deliveryProviders: Provider[] = [
  SigningKeys,
  Subscriptions,
  {
    provide: DeliveryJob,
    inject: [EgressClient, SigningKeys, Clock, WEBHOOKS_OPTIONS],
    useFactory: (egress: EgressClient, keys: SigningKeys, clock: Clock, options: WebhooksOptions) =>
      new DeliveryJob(egress, keys, clock, options),
  },
  DeliveryWiring,
];
