import type { Actor } from '../principals/principal.js';
import type { HttpRequest } from '../request/http-request.js';

// The actor is stored on the request itself. A WeakMap would cost a microsecond in every decision.
const ACTOR = Symbol('governance.actor');

/** Stores the actor for the rest of the request. */
export function rememberActor(request: HttpRequest, actor: Actor): void {
  Reflect.set(request, ACTOR, actor);
}

/** The actor; undefined if the guard has not accepted one. */
export function knownActorOf(request: HttpRequest): Actor | undefined {
  // Only `rememberActor()` sets this property, so its type is known.
  return Reflect.get(request, ACTOR) as Actor | undefined;
}

/**
 * The actor that the guard accepted.
 * @throws Error on a route without the guard, which is a programming error
 */
export function actorOf(request: HttpRequest): Actor {
  const actor = knownActorOf(request);
  if (!actor) throw new Error('This route reads the actor but is not behind AccessGuard; use @GovernanceController.');
  return actor;
}
