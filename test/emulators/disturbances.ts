import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { toBehaviour, type PlatformEndpoint, type PlatformRequest } from '../support/itsm/platform-endpoint.js';
import { FAULTS, type Fault, type FaultName } from '../support/itsm/platform-faults.js';

/** Chooses the fault of the nth request of an operation, beginning with 1. */
export interface FaultChooser {
  choose(n: number): FaultName | Fault | undefined;
}

/** A platform whose operations a test disturbs one by one. */
export interface Disturbable<Operation extends string> {
  /** All requests of an operation, in order. */
  requestsOf(operation: Operation): readonly PlatformRequest[];
  /** Sets the fault for requests of an operation from now on: all of them, or those that a chooser selects. */
  meets(operation: Operation, fault: FaultName | Fault | FaultChooser): void;
  /** Ends all faults. */
  recovers(): void;
}

/** Lets tests disturb the operations of a platform. `operationOf` returns undefined for requests of no operation. */
export function disturbable<P extends PlatformEndpoint, Operation extends string>(
  platform: P,
  operationOf: (request: PlatformRequest) => Operation | undefined,
): P & Disturbable<Operation> {
  const faults = new Map<Operation, { readonly chooser: FaultChooser; count: number }>();
  const faultOf = (request: PlatformRequest): Fault | undefined => {
    const operation = operationOf(request);
    const met = operation && faults.get(operation);
    if (!met) return undefined;
    met.count += 1;
    const chosen = met.chooser.choose(met.count);
    return typeof chosen === 'string' ? FAULTS[chosen] : chosen;
  };
  return Object.assign(platform, {
    requestsOf: (operation: Operation) => platform.received.filter(request => operationOf(request) === operation),
    meets: (operation: Operation, fault: FaultName | Fault | FaultChooser) => {
      faults.set(operation, { chooser: typeof fault === 'object' ? fault : { choose: () => fault }, count: 0 });
      platform.intercept((request, perform) => faultOf(request)?.(() => toBehaviour(perform())));
    },
    recovers: () => faults.clear(),
  });
}

/** Faults by the number of the request, such as `nth({ 2: 'lost answer' })`. All other requests succeed. */
export function nth(faults: Readonly<Record<number, FaultName | Fault>>): FaultChooser {
  return { choose: n => faults[n] };
}

/** Answers with this answer of the vendor, and does not handle the request. */
export function answers(answer: PlatformAnswer): Fault {
  return () => toBehaviour(answer);
}
