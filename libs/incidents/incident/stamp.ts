import type { Actor } from '#access';

/** The author of a change of an incident; `system` for automatic changes. */
export interface ActorStamp {
  readonly kind: Actor['kind'] | 'system';
  readonly id: string;
  readonly name: string;
}

/**
 * The part of an actor that is stored. Characters that PostgreSQL cannot store are replaced, because hosts choose the
 * names.
 */
export function stampOf({ kind, id, name }: Actor): ActorStamp {
  return { kind, id: storable(id), name: storable(name) };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
