import { useSyncExternalStore } from 'react';

/** The width below which tables hide columns: the breakpoint `md` of the styles. */
const NARROW = matchMedia('(width < 56rem)');

function subscribe(reader: () => void): () => void {
  NARROW.addEventListener('change', reader);
  return () => NARROW.removeEventListener('change', reader);
}

/** Whether the screen is narrow. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
