import type { Actor } from '../principals/principal.js';
import type { HttpRequest } from './http-request.js';

const actors = new WeakMap<object, Actor>();

/** Remembers the actor for the rest of the request. */
export function rememberActor(request: HttpRequest, actor: Actor): void {
  actors.set(request.raw ?? request, actor);
}

/** The actor that the guard accepted. A route without the guard is a mistake in the wiring. */
export function actorOf(request: HttpRequest): Actor {
  const actor = actors.get(request.raw ?? request);
  if (!actor) throw new Error('This route reads the actor but is not behind AccessGuard; use @GovernanceController.');
  return actor;
}
