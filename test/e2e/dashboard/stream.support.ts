import type { Answer } from '../../support/test-app.js';

/** One event of the stream of topics. */
export interface TopicEvent {
  id: string;
  event: 'ready' | 'change' | 'reset';
  data: Answer['body'];
}

/** An open stream of topics. */
export interface TopicStream {
  status: number;
  body: Promise<string>;
  /** All events that have arrived so far. */
  readonly events: readonly TopicEvent[];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  /** Waits for a matching event. */
  next(fits: (event: TopicEvent) => boolean): Promise<TopicEvent>;
  close(): void;
}

/** Opens a stream as a client does. */
export async function follow(
  url: string,
  token: string,
  topics: string,
  { lastEventId, withinMs = 30_000 }: { lastEventId?: string | undefined; withinMs?: number } = {},
): Promise<TopicStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/stream?topics=${topics}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  });
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  };
  const ended = read().catch(() => undefined);
  const events = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter(part => /^event: /m.test(part))
      .map((part): TopicEvent => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        const event = field('event');
        if (event !== 'ready' && event !== 'change' && event !== 'reset') throw new Error(part);
        return { id: field('id'), event, data: JSON.parse(field('data')) };
      });
  return {
    status: response.status,
    body: ended.then(() => text),
    ended,
    get events() {
      return events();
    },
    async next(fits) {
      const end = performance.now() + withinMs;
      for (;;) {
        const found = events().find(fits);
        if (found) return found;
        if (performance.now() > end) throw new Error(`did not come within ${withinMs} ms: ${text}`);
        await new Promise(done => setTimeout(done, 5));
      }
    },
    close: () => abort.abort(),
  };
}

/** Whether an event says that a topic changed. */
export function isChangeOf(topic: string): (event: TopicEvent) => boolean {
  return ({ event, data }) => event === 'change' && data.topic === topic;
}
