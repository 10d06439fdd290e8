import type { Actor } from '../principals/principal.js';
import type { HttpRequest } from '../request/http-request.js';

// Stored on the request itself, because a WeakMap costs a microsecond, and every decision pays for it.
const ACTOR = Symbol('governance.actor');

/** Stores the actor for the rest of the request. */
export function rememberActor(request: HttpRequest, actor: Actor): void {
  Reflect.set(request, ACTOR, actor);
}

/** The actor; undefined if the guard has accepted none. */
export function knownActorOf(request: HttpRequest): Actor | undefined {
  // Only rememberActor() writes here.
  return Reflect.get(request, ACTOR) as Actor | undefined;
}

/** The actor that the guard accepted. Throws on a route without the guard, which is a programming error. */
export function actorOf(request: HttpRequest): Actor {
  const actor = knownActorOf(request);
  if (!actor) throw new Error('This route reads the actor but is not behind AccessGuard; use @GovernanceController.');
  return actor;
}
