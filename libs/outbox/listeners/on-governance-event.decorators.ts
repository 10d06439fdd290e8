import { SetMetadata } from '@nestjs/common';
import type { EventEnvelope, EventType } from '../events/index.js';

/** Metadata key of the event types of a method. */
export const LISTENS_TO = 'governance:listens-to';

/** A union of envelopes, so that a method for several types can narrow by `type`. */
type Listener<T extends EventType> = (event: { [K in T]: EventEnvelope<K> }[T]) => unknown;

/**
 * Calls a method of any provider with each event of the given types, after the commit, on one replica. If the method
 * throws, the call is retried after 1, 5, 30 and 300 seconds, then dead-lettered; `doctor` lists it. It is also repeated
 * after a crash. Use the event's `id` to recognize a repeat. The database stores the listener as `Class.method`: a renamed
 * listener misses the events that wait for the old name. Every process of the deployment needs the listener, also those
 * that only serve requests, because the process that emits an event adds the task.
 */
export function OnGovernanceEvent<T extends EventType>(...types: readonly [T, ...T[]]) {
  return <Method extends Listener<T>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    // A method may have the decorator more than once.
    const before = Reflect.getMetadata(LISTENS_TO, descriptor.value ?? target) as readonly EventType[] | undefined;
    SetMetadata(LISTENS_TO, [...(before ?? []), ...types])(target, name, descriptor);
  };
}
