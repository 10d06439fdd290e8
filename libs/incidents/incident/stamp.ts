import type { Actor } from '#access';

/** Who has changed an incident; `system` where nobody did and time was up. */
export interface ActorStamp {
  readonly kind: Actor['kind'] | 'system';
  readonly id: string;
  readonly name: string;
}

/** What is kept of an actor beside a change. A host's names may hold what PostgreSQL cannot. */
export function stampOf({ kind, id, name }: Actor): ActorStamp {
  return { kind, id: storable(id), name: storable(name) };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
