import { useSyncExternalStore } from 'react';

/** Whether changes arrive by themselves. */
export type Live = 'live' | 'connecting' | 'off';

let state: Live = 'off';
const readers = new Set<() => void>();

/** Says to all readers what the stream is doing. */
export function setLive(next: Live): void {
  state = next;
  for (const reader of readers) reader();
}

/** Whether changes arrive by themselves. */
export function useLive(): Live {
  return useSyncExternalStore(
    reader => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => state,
  );
}
