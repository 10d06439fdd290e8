import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { API_ROOT } from './address.ts';
import { isTopic, touchedBy, type TopicName } from './live-topics.ts';

/** Whether changes arrive by themselves. */
export type Live = 'live' | 'connecting' | 'off';

/** What tabs tell one another: the state of the stream, and what changed, with the ids of records where they are known. */
type Message = { state: Live } | { topics: TopicName[]; ids?: string[] } | { ask: true };

/** At most one read again in this time, in milliseconds. Topics that change with nearly every request: more rarely. */
const READ_EVERY = 2_000;
const READ_BUSY_EVERY = 15_000;

/** Time after which a stream that was refused is tried again, in milliseconds. */
const TRY_AGAIN = 30_000;

let state: Live = 'off';
/** What changed since a list was last read: ids of records, or the topic's own name where they are not known. */
let news: ReadonlyMap<TopicName, ReadonlySet<string>> = new Map();
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

/** How many records of a topic changed since its list was last read, and how to forget them. */
export function useNews(topic: TopicName): [count: number, forget: () => void] {
  const changed = useSyncExternalStore(subscribe, () => news.get(topic));
  return [
    changed?.size ?? 0,
    () => {
      news = new Map([...news].filter(([name]) => name !== topic));
      tell();
    },
  ];
}

/**
 * Begins to listen. One tab of a browser holds the one stream and tells the others. Returns what ends it.
 * @param topics the topics that the person may follow, as the query of the stream
 */
export function startLive(client: QueryClient, topics: string): () => void {
  const channel = new BroadcastChannel('governance-live');
  const end = new AbortController();
  const pending = new Set<TopicName>();
  const timers = new Map<boolean, ReturnType<typeof setTimeout>>();
  const readSoon = (isBusy: boolean): void => {
    if (timers.has(isBusy) || touchedBy(pending, isBusy).size === 0) return;
    const read = (): void => {
      timers.delete(isBusy);
      const touched = touchedBy(pending, isBusy);
      for (const name of pending) if (touchedBy([name], !isBusy).size === 0) pending.delete(name);
      void client.invalidateQueries({ predicate: ({ queryKey }) => touched.has(queryKey[0]) });
    };
    timers.set(isBusy, setTimeout(read, isBusy ? READ_BUSY_EVERY : READ_EVERY));
  };
  const receive = (message: Message): void => {
    if ('state' in message) state = message.state;
    if ('topics' in message) {
      for (const topic of message.topics) {
        pending.add(topic);
        news = new Map([...news, [topic, new Set([...(news.get(topic) ?? []), ...(message.ids ?? [topic])])]]);
      }
      readSoon(false);
      readSoon(true);
    }
    tell();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  const share = (message: Message): void => {
    receive(message);
    channel.postMessage(message);
  };
  const lead = (): Promise<void> => hold(topics, share, end.signal, channel);
  channel.postMessage({ ask: true } satisfies Message);
  // Without locks, on plain HTTP, each tab holds a stream of its own.
  if ('locks' in navigator)
    navigator.locks.request('governance-live', { signal: end.signal }, lead).catch(() => undefined);
  else void lead();
  return () => {
    end.abort();
    for (const timer of timers.values()) clearTimeout(timer);
    channel.close();
  };
}

/** Holds the stream until the signal; what the browser does not try again by itself, this does. */
async function hold(
  topics: string,
  share: (message: Message) => void,
  signal: AbortSignal,
  channel: BroadcastChannel,
): Promise<void> {
  let lastId = '';
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('ask' in data) channel.postMessage({ state } satisfies Message);
  });
  while (!signal.aborted) {
    lastId = await follow(topics, lastId, share, signal);
    await new Promise<void>(done => {
      const timer = setTimeout(done, TRY_AGAIN);
      signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
    });
  }
}

/**
 * Follows the stream until it is refused or the signal. The browser itself resumes a stream that was cut, after the last
 * id; a stream that is opened anew begins at the present, so everything that it may have missed is read again.
 * @returns the last id
 */
function follow(
  topics: string,
  lastId: string,
  share: (message: Message) => void,
  signal: AbortSignal,
): Promise<string> {
  share({ state: 'connecting' });
  const source = new EventSource(`${API_ROOT}/stream?topics=${topics}`);
  let last = lastId;
  return new Promise(done => {
    const finish = (): void => {
      source.close();
      if (!signal.aborted) share({ state: 'off' });
      done(last);
    };
    signal.addEventListener('abort', finish, { once: true });
    source.addEventListener('ready', ({ data, lastEventId }: MessageEvent<string>) => {
      const wasAway = last === lastId && lastId !== '' && lastId !== lastEventId;
      if (wasAway) share({ topics: namesIn(data) });
      last = lastEventId;
      share({ state: 'live' });
    });
    source.addEventListener('change', ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId;
      // The server's own contract, which its tests hold.
      const { topic, ids } = JSON.parse(data) as { topic: string; ids?: string[] };
      if (isTopic(topic)) share({ topics: [topic], ...(ids && { ids }) });
    });
    source.addEventListener('reset', ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId;
      share({ topics: namesIn(data) });
    });
    source.addEventListener('error', () =>
      source.readyState === EventSource.CLOSED ? finish() : share({ state: 'connecting' }),
    );
  });
}

/** The topics that `ready` and `reset` name. */
function namesIn(data: string): TopicName[] {
  const { topics } = JSON.parse(data) as { topics: string[] };
  return topics.filter(name => isTopic(name));
}
