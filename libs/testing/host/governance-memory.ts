import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#core';
import { envelopeOf, EventListeners, type EventDataOf, type EventEnvelope, type EventType } from '#outbox';
import { compilePolicies, OperatorRegistry, type DecidablePolicy, type DecisionReason } from '#policy';
import { MemoryStore } from './memory-store.js';
import type { RecordedAct } from './recorded.js';

/** A policy for tests. Omitted fields are those of an enabled policy for all models and people. */
export type TestPolicy = Pick<DecidablePolicy, 'name' | 'action'> & Partial<DecidablePolicy>;

const ORGANIZATION = '0199c2a8-0000-7000-8000-000000000001';

/** The state of `GovernanceTestingModule`: its settings, and what was recorded. Inject it in a test. */
@Injectable()
export class GovernanceMemory {
  private hasListeners = false;

  constructor(
    private readonly store: MemoryStore,
    private readonly operators: OperatorRegistry,
    private readonly listeners: EventListeners,
    private readonly clock: Clock,
  ) {}

  /** All acts of the host and their effects, in order. */
  get recorded(): readonly RecordedAct[] {
    return this.store.acts;
  }

  /** The recorded acts of one kind, in order: `recordedOf('usage')`. */
  recordedOf<K extends RecordedAct['kind']>(kind: K): Extract<RecordedAct, { kind: K }>[] {
    return this.store.acts.filter((act): act is Extract<RecordedAct, { kind: K }> => act.kind === kind);
  }

  /** Replaces the policies. @throws Error that names an invalid policy */
  setPolicies(policies: readonly TestPolicy[]): void {
    const whole = policies.map(policy => ({
      ...{ id: newId(this.clock.now()), model: null, enabled: true, version: 1, createdAt: this.clock.now() },
      ...policy,
    }));
    compilePolicies(whole, { operators: this.operators });
    this.store.policies = whole;
    this.store.fixedAnswer = undefined;
  }

  /** Allows every request from now on. */
  allowAll(): void {
    this.store.fixedAnswer = { action: 'allow', reason: 'no_policy_matched' };
  }

  /** Blocks every request from now on, for this reason: `budget_exceeded`, `user_suspended`. */
  block(reason: DecisionReason = 'policy'): void {
    this.store.fixedAnswer = { action: 'block', reason };
  }

  /**
   * Calls the host's `@OnGovernanceEvent` methods of this type in sequence, with the event as it would arrive. Returns
   * the event. Rejects with the error of a method.
   */
  async emit<T extends EventType>(type: T, data: EventDataOf[T], orgId = ORGANIZATION): Promise<EventEnvelope<T>> {
    if (!this.hasListeners) this.listeners.find();
    this.hasListeners = true;
    const now = this.clock.now();
    const envelope = envelopeOf({ id: newId(now), type, createdAt: now, orgId, data });
    // Each listener gets its own copy of the stored JSON.
    const body = JSON.stringify(envelope);
    for (const listener of this.listeners.of(type)) await listener.call(JSON.parse(body) as EventEnvelope);
    return envelope;
  }

  /** Clears the recorded acts, the policies and the fixed answers. */
  reset(): void {
    this.store.acts.length = 0;
    this.setPolicies([]);
  }
}
