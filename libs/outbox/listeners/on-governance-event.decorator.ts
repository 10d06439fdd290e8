import { SetMetadata } from '@nestjs/common';
import type { EventEnvelope, EventType } from '../events/index.js';

/** Metadata key under which a method's event types stand. */
export const LISTENS_TO = 'governance:listens-to';

type Listener<T extends EventType> = (event: EventEnvelope<T>) => unknown;

/**
 * Has a method of any provider called with each event of the given types, after the change has committed, on one
 * replica. The call is repeated until the method returns: after 1, 5, 30 and 300 seconds, and when a process dies
 * meanwhile; the event's `id` tells a repeat. After the last repeat the call is put aside and `doctor` names it.
 * The provider's class and method names are the listener's name in the database: a renamed listener misses what was
 * waiting for the old name.
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
