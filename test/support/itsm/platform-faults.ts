import { answer, BEHAVIOURS, redirect, slow, type Behaviour } from '../endpoint-behaviours.js';

/** A fault of an emulated platform. `duty` lets the platform handle the request, and returns the normal answer. */
export type Fault = (duty: () => Behaviour) => Behaviour;

const PAGE = { 'content-type': 'text/html;charset=UTF-8' };

/** Answers with this status and body, and does not handle the request. */
export function refuses(status: number, json?: object, headers: Record<string, string> = {}): Fault {
  const body = json === undefined ? '' : JSON.stringify(json);
  return () => answer(status, body, { ...(json && { 'content-type': 'application/json;charset=UTF-8' }), ...headers });
}

/** Handles the request, but gives another answer. */
function doneBut(other: Behaviour): Fault {
  return duty => {
    duty();
    return other;
  };
}

/** Handles the request after a delay. */
export function late(milliseconds: number): Fault {
  // Handles the request on arrival, and sends only the answer late.
  return duty => slow(milliseconds, duty());
}

/** Runs a fault, or handles the request normally, on arrival. Holds all answers until the test releases them. */
export function held(fault: Fault = duty => duty()): { fault: Fault; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    fault: duty => {
      const answer = fault(duty);
      return { act: exchange => void promise.then(() => answer.act(exchange)) };
    },
    release: () => resolve(),
  };
}

/** Faults without arguments. */
export const FAULTS = {
  /** The request is handled, and the connection breaks before the answer. */
  'lost answer': doneBut(BEHAVIOURS.reset),
  /** The request is handled, and never answered. */
  'no answer': doneBut(BEHAVIOURS.hang),
  /** The request is handled, and the answer is truncated. */
  'answer cut short': doneBut(BEHAVIOURS['close after headers']),
  'success without id': doneBut(answer(201, '{}', { 'content-type': 'application/json' })),
  'error after success': doneBut(answer(500, '{}', { 'content-type': 'application/json' })),
  /** The platform does not handle the request. */
  'cut request': () => BEHAVIOURS.reset,
  'login redirect': () => redirect('https://id.atlassian.com/login?continue=x'),
  'login page': () => answer(200, '<!DOCTYPE html><html><title>Log in</title></html>', PAGE),
  'unavailable page': () => answer(503, '<!DOCTYPE html><html><title>Unavailable</title></html>', PAGE),
  'no more for now': refuses(429, { errorMessages: ['Rate limit exceeded.'], errors: {} }),
  'no more for 7 s': refuses(429, { errorMessages: ['Rate limit exceeded.'], errors: {} }, { 'retry-after': '7' }),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
