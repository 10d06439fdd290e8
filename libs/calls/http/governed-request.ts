import type { HttpRequest } from '#access';
import type { Decision } from '#policy';

const DECISION = Symbol('governance.call-decision');

/** Stores the decision for the handler. */
export function rememberDecision(request: HttpRequest, decision: Decision | undefined): void {
  Reflect.set(request, DECISION, decision);
}

/** The decision of the request's route. */
export function decisionOf(request: HttpRequest): Decision | undefined {
  // Only `rememberDecision()` sets this property, so its type is known.
  return Reflect.get(request, DECISION) as Decision | undefined;
}
