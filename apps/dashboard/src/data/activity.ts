/** Real input of the person in this tab. Neither the stream nor a refetch counts. */
let inputAt = 0;
let toldAt = 0;

const INPUTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** At most one request in this time tells the server of input, in milliseconds. */
const TELL_EVERY = 30_000;

/** Begins to watch for input. Call it once. */
export function watchActivity(): void {
  for (const input of INPUTS) addEventListener(input, () => (inputAt = Date.now()), { passive: true, capture: true });
}

/** Whether a person did something since the last call. The caller must then tell the server. */
export function takeActivity(): boolean {
  const now = Date.now();
  if (inputAt <= toldAt || now - toldAt < TELL_EVERY) return false;
  toldAt = now;
  return true;
}

/** Time of the last input, if the server has not heard of it for a minute; otherwise undefined. */
export function untoldInput(): number | undefined {
  return inputAt > toldAt && Date.now() - toldAt > 2 * TELL_EVERY ? inputAt : undefined;
}

/** Time of the last input; 0 where there was none. */
export function lastInput(): number {
  return inputAt;
}
