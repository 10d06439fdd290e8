import { SetMetadata } from '@nestjs/common';
import type { EventEnvelope, EventType } from '../events/index.js';

/** Metadata key of the event types for which a method is called. */
export const LISTENS_TO = 'governance:listens-to';

/** A union of envelopes. In a method for several types, TypeScript can then narrow the event by `type`. */
type Listener<T extends EventType> = (event: { [K in T]: EventEnvelope<K> }[T]) => unknown;

/**
 * Calls a method of any provider with each event of the given types, after the commit, on one replica. If the method
 * throws, the call is retried after 1, 5, 30 and 300 seconds, and then dead-lettered; `doctor` lists it. A call is also
 * repeated after a crash. Use the event's `id` to detect repeated calls. The database stores the listener as
 * `Class.method`. If you rename a listener, it misses events that wait for the old name. The process that emits an
 * event adds the task of the listener. Every process of the deployment therefore needs the listener, even processes
 * that only serve requests.
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
