import type { HttpRequest } from '../request/http-request.js';

/** The caller of a route without a bearer credential: only the origin of the request is known. */
export interface Visitor {
  /** Address of the client, behind trusted proxies too; null if it is not known. */
  readonly address: string | null;
  readonly requestId: string;
}

const VISITOR = Symbol('governance.visitor');

/** Remembers the visitor for the rest of the request. */
export function rememberVisitor(request: HttpRequest, visitor: Visitor): void {
  Reflect.set(request, VISITOR, visitor);
}

/** The visitor that the guard let through. A route without the guard is a mistake in the wiring. */
export function visitorOf(request: HttpRequest): Visitor {
  // Only rememberVisitor() writes here.
  const visitor = Reflect.get(request, VISITOR) as Visitor | undefined;
  if (!visitor) throw new Error('This route reads the visitor but is not open; use @GovernanceController and @Open.');
  return visitor;
}
