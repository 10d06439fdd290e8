import type { HttpRequest } from '../request/http-request.js';

/** The caller of a route without a bearer credential. Only its address is known. */
export interface Visitor {
  /** Address of the client, resolved through trusted proxies; null if unknown. */
  readonly address: string | null;
  readonly requestId: string;
}

const VISITOR = Symbol('governance.visitor');

/** Stores the visitor for the rest of the request. */
export function rememberVisitor(request: HttpRequest, visitor: Visitor): void {
  Reflect.set(request, VISITOR, visitor);
}

/** The visitor that the guard admitted. Throws on a route without the guard, which is a programming error. */
export function visitorOf(request: HttpRequest): Visitor {
  // Only `rememberVisitor()` sets this property, so its type is known.
  const visitor = Reflect.get(request, VISITOR) as Visitor | undefined;
  if (!visitor) throw new Error('This route reads the visitor but is not open; use @GovernanceController and @Open.');
  return visitor;
}
