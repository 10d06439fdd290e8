/** Time of the last input by the person in this tab. Events of the live stream and refetches do not count. */
let inputAt = 0;
let toldAt = 0;

const INPUTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** Minimum interval between two requests that report input to the server, in milliseconds. */
const TELL_EVERY = 30_000;

/** Starts to listen for input. Call this function once. */
export function watchActivity(): void {
  for (const input of INPUTS) addEventListener(input, () => (inputAt = Date.now()), { passive: true, capture: true });
}

/** Whether there was input since the last call. If there was, the caller must report it to the server. */
export function takeActivity(): boolean {
  const now = Date.now();
  if (inputAt <= toldAt || now - toldAt < TELL_EVERY) return false;
  toldAt = now;
  return true;
}

/** Time of the last input, if it is at least a minute old and not reported yet; otherwise undefined. */
export function untoldInput(): number | undefined {
  return inputAt > toldAt && Date.now() - toldAt > 2 * TELL_EVERY ? inputAt : undefined;
}

/** Time of the last input; 0 if there was none. */
export function lastInput(): number {
  return inputAt;
}
