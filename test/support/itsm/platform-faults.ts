import { answer, BEHAVIOURS, redirect, slow, type Behaviour } from '../endpoint-behaviours.js';

/** What an emulated platform does with a request in place of its duty: `duty` does it and returns the proper answer. */
export type Fault = (duty: () => Behaviour) => Behaviour;

const PAGE = { 'content-type': 'text/html;charset=UTF-8' };

/** The duty is not done, and this is the answer. */
export function refuses(status: number, json?: object, headers: Record<string, string> = {}): Fault {
  const body = json === undefined ? '' : JSON.stringify(json);
  return () => answer(status, body, { ...(json && { 'content-type': 'application/json;charset=UTF-8' }), ...headers });
}

/** The duty is done, and another answer given. */
function doneBut(other: Behaviour): Fault {
  return duty => {
    duty();
    return other;
  };
}

/** The duty is done after a time. */
export function late(milliseconds: number): Fault {
  // When the request has arrived, as the platform sees it; the answer is what is late.
  return duty => slow(milliseconds, duty());
}

/** The duty, or what stands in for it, is done on arrival, and all answers wait until they are let go. */
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

/** Faults that need no argument. */
export const FAULTS = {
  /** Done, and the connection breaks before the answer. */
  'lost answer': doneBut(BEHAVIOURS.reset),
  /** Done, and nothing follows. */
  'no answer': doneBut(BEHAVIOURS.hang),
  /** Done, and the answer breaks off in its middle. */
  'answer cut short': doneBut(BEHAVIOURS['close after headers']),
  'success without id': doneBut(answer(201, '{}', { 'content-type': 'application/json' })),
  'error after success': doneBut(answer(500, '{}', { 'content-type': 'application/json' })),
  /** Not done. */
  'cut request': () => BEHAVIOURS.reset,
  'login redirect': () => redirect('https://id.atlassian.com/login?continue=x'),
  'login page': () => answer(200, '<!DOCTYPE html><html><title>Log in</title></html>', PAGE),
  'unavailable page': () => answer(503, '<!DOCTYPE html><html><title>Unavailable</title></html>', PAGE),
  'no more for now': refuses(429, { errorMessages: ['Rate limit exceeded.'], errors: {} }),
  'no more for 7 s': refuses(429, { errorMessages: ['Rate limit exceeded.'], errors: {} }, { 'retry-after': '7' }),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
