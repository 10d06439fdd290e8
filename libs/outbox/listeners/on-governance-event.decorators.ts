import { SetMetadata } from '@nestjs/common';
import type { EventEnvelope, EventType } from '../events/index.js';

/** Metadata key under which a method's event types stand. */
export const LISTENS_TO = 'governance:listens-to';

/** One envelope per type, so that a method for several types can tell them apart by `type`. */
type Listener<T extends EventType> = (event: { [K in T]: EventEnvelope<K> }[T]) => unknown;

/**
 * Has a method of any provider called with each event of the given types, after the change has committed, on one
 * replica. The call is repeated until the method returns: after 1, 5, 30 and 300 seconds, and when a process dies
 * meanwhile; the event's `id` tells a repeat. After the last repeat the call is dead-lettered and `doctor` names it.
 * The provider's class and method names are the listener's name in the database: a renamed listener misses what was
 * waiting for the old name. Every process of the deployment must have the listener, also those that only answer
 * requests: a call is noted down by the process in which the event happens.
 */
export function OnGovernanceEvent<T extends EventType>(...types: readonly [T, ...T[]]) {
  return <Method extends Listener<T>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    // The decorator may stand more than once above a method.
    const before = Reflect.getMetadata(LISTENS_TO, descriptor.value ?? target) as readonly EventType[] | undefined;
    SetMetadata(LISTENS_TO, [...(before ?? []), ...types])(target, name, descriptor);
  };
}
