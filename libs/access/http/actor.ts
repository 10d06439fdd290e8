import type { Actor } from '../principals/principal.js';
import type { HttpRequest } from '../request/http-request.js';

// On the request itself: a weak map costs a microsecond per request, and this is the path of every decision.
const ACTOR = Symbol('governance.actor');

/** Remembers the actor for the rest of the request. */
export function rememberActor(request: HttpRequest, actor: Actor): void {
  Reflect.set(request, ACTOR, actor);
}

/** The actor, where one was accepted. */
export function knownActorOf(request: HttpRequest): Actor | undefined {
  // Only rememberActor() writes here.
  return Reflect.get(request, ACTOR) as Actor | undefined;
}

/** The actor that the guard accepted. A route without the guard is a mistake in the wiring. */
export function actorOf(request: HttpRequest): Actor {
  const actor = knownActorOf(request);
  if (!actor) throw new Error('This route reads the actor but is not behind AccessGuard; use @GovernanceController.');
  return actor;
}
