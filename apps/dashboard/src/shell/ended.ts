import { useSyncExternalStore } from 'react';

let hasEnded = false;
const readers = new Set<() => void>();

/** Sets whether the session has ended while the page was open. */
export function ended(value: boolean): void {
  hasEnded = value;
  for (const reader of readers) reader();
}

/** Whether the session has ended while the page was open. */
export function useEnded(): boolean {
  return useSyncExternalStore(
    reader => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => hasEnded,
  );
}
