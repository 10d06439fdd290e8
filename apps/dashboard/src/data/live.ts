import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { API_ROOT } from './address.ts';

/** Whether changes arrive by themselves. */
export type Live = 'live' | 'connecting' | 'off';

/** What tabs tell one another: the state of the stream, and the incidents that changed. */
type Message = { state: Live } | { incident: string } | { ask: true };

/** At most one read again in this time, in milliseconds. */
const READ_EVERY = 2_000;

/** Time after which a stream that was refused is tried again, in milliseconds. */
const TRY_AGAIN = 30_000;

/** Queries that the page reads again after an incident changed. The list is not one: its rows must not move under the cursor. */
const TOUCHED = new Set<unknown>(['getIncident', 'listIncidentTimeline', 'getOverview', 'listTickets']);

let state: Live = 'off';
let changed: readonly string[] = [];
const readers = new Set<() => void>();

function tell(): void {
  for (const reader of readers) reader();
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Whether changes arrive by themselves. */
export function useLive(): Live {
  return useSyncExternalStore(subscribe, () => state);
}

/** Incidents that changed since the list was last read, and how to forget them. */
export function useChangedIncidents(): [readonly string[], () => void] {
  const ids = useSyncExternalStore(subscribe, () => changed);
  return [
    ids,
    () => {
      changed = [];
      tell();
    },
  ];
}

/** Begins to listen. One tab of a browser holds the stream and tells the others. Returns what ends it. */
export function startLive(client: QueryClient): () => void {
  const channel = new BroadcastChannel('governance-live');
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const receive = (message: Message): void => {
    if ('state' in message) state = message.state;
    if ('incident' in message) {
      changed = [...new Set([...changed, message.incident])];
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ predicate: ({ queryKey }) => TOUCHED.has(queryKey[0]) });
      }, READ_EVERY);
    }
    tell();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  const share = (message: Message): void => {
    receive(message);
    channel.postMessage(message);
  };
  const lead = (): Promise<void> => hold(share, end.signal, channel);
  channel.postMessage({ ask: true } satisfies Message);
  // Without locks, on plain HTTP, each tab holds a stream of its own.
  if ('locks' in navigator)
    navigator.locks.request('governance-live', { signal: end.signal }, lead).catch(() => undefined);
  else void lead();
  return () => {
    end.abort();
    clearTimeout(timer);
    channel.close();
  };
}

/** Holds the stream until the signal; what the browser does not try again by itself, this does. */
async function hold(share: (message: Message) => void, signal: AbortSignal, channel: BroadcastChannel): Promise<void> {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('ask' in data) channel.postMessage({ state } satisfies Message);
  });
  while (!signal.aborted) {
    await follow(share, signal);
    await new Promise<void>(done => {
      const timer = setTimeout(done, TRY_AGAIN);
      signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
    });
  }
}

/** Follows the stream until it is refused or the signal. */
function follow(share: (message: Message) => void, signal: AbortSignal): Promise<void> {
  share({ state: 'connecting' });
  const source = new EventSource(`${API_ROOT}/incidents/stream`);
  return new Promise(done => {
    const finish = (): void => {
      source.close();
      if (!signal.aborted) share({ state: 'off' });
      done();
    };
    signal.addEventListener('abort', finish, { once: true });
    source.addEventListener('ready', () => share({ state: 'live' }));
    source.addEventListener('incident', ({ data }: MessageEvent<string>) => {
      // The server's own contract: an incident as `GET` shows it.
      const { id } = JSON.parse(data) as { id: string };
      share({ incident: id });
    });
    source.addEventListener('error', () =>
      source.readyState === EventSource.CLOSED ? finish() : share({ state: 'connecting' }),
    );
  });
}
