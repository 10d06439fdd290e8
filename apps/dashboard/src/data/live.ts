import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { API_ROOT } from './address.ts';
import { isTopic, touchedBy, type TopicName } from './live-topics.ts';

/** State of the live stream. */
export type Live = 'live' | 'connecting' | 'off';

/**
 * Messages between tabs. They contain the state of the stream, or changed topics, with the ids of records if these are
 * known.
 */
type Message = { state: Live } | { topics: TopicName[]; ids?: string[] } | { ask: true };

/** Minimum interval between two refetches, in milliseconds. It is longer for busy topics. */
const READ_EVERY = 2_000;
const READ_BUSY_EVERY = 15_000;

/** Delay in milliseconds before the page opens a refused stream again. */
const TRY_AGAIN = 30_000;

let state: Live = 'off';
/** Changes since a list was last read: the ids of records, or the name of the topic if the ids are unknown. */
let news: ReadonlyMap<TopicName, ReadonlySet<string>> = new Map();
const readers = new Set<() => void>();

function tell(): void {
  for (const reader of readers) reader();
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** State of the live stream. */
export function useLive(): Live {
  return useSyncExternalStore(subscribe, () => state);
}

/**
 * Number of records of a topic that have changed since its list was last read, and a function that resets this number.
 */
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
 * Starts to follow changes. Only one tab of the browser opens the stream. It forwards changes to the other tabs.
 * Returns a function that stops following.
 * @param topics the topics that the person may follow, in the form of the stream's query
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
  // Without the Web Locks API (plain HTTP), each tab opens its own stream.
  if ('locks' in navigator)
    navigator.locks.request('governance-live', { signal: end.signal }, lead).catch(() => undefined);
  else void lead();
  return () => {
    end.abort();
    for (const timer of timers.values()) clearTimeout(timer);
    channel.close();
  };
}

/** Keeps the stream open until the signal aborts. Reopens the stream if the browser itself does not. */
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
 * Follows the stream until it is refused or the signal aborts. After a lost connection, the browser resumes after the
 * last id. A new stream begins at the present, so the page refetches everything that may have changed.
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
      // The tests of the server check that messages have this form.
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

/** The topics that a `ready` or `reset` message names. */
function namesIn(data: string): TopicName[] {
  const { topics } = JSON.parse(data) as { topics: string[] };
  return topics.filter(name => isTopic(name));
}
