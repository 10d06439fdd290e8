/**
 * Usage of months, with the distributions of published traces of clients of LLM services (ServeGen, Azure, BurstGPT).
 * Few clients send most requests (a Zipf law). Each uses a few of a dozen models. Tokens have a long tail. There is
 * more usage by day than by night, and less at weekends. One event in a hundred is up to three days late. Creating an
 * event takes about a microsecond.
 */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SKEW = 1.1;

// Provider, model, median input and output tokens, and the share of input tokens read from a cache.
const MODELS = [
  ['openai', 'gpt-4o', 1_200, 260, 0.2],
  ['openai', 'gpt-4o-mini', 900, 180, 0.2],
  ['openai', 'gpt-4.1', 2_400, 420, 0.3],
  ['openai', 'gpt-4.1-mini', 1_100, 210, 0.3],
  ['openai', 'o3', 1_800, 1_900, 0.1],
  ['openai', 'o4-mini', 1_500, 1_200, 0.1],
  ['anthropic', 'claude-sonnet-4-20250514', 6_500, 520, 0.7],
  ['anthropic', 'claude-opus-4-20250514', 7_800, 640, 0.7],
  ['anthropic', 'claude-3-5-haiku-latest', 1_400, 190, 0.4],
  ['google', 'gemini-2.5-pro', 3_200, 900, 0.1],
  ['google', 'gemini-2.5-flash', 1_600, 340, 0],
  ['self-hosted', 'llama-3.3-70b', 1_000, 240, 0],
];
/** Shares of a client's first, second and third model. */
const PREFERENCES = [0.7, 0.2, 0.1];

const HEX = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'));
const hex = () => HEX[(Math.random() * 65_536) | 0];
const tail = () => `8${hex().slice(1)}-${hex()}${hex()}${hex()}`;

/** A random id: a UUID of version 4. */
export const randomId = () => `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-${tail()}`;

/** An id that grows with time: a UUID of version 7. */
export const growingId = at =>
  `${HEX[Math.floor(at / 2 ** 32)]}${HEX[(at >>> 16) & 0xffff]}-${HEX[at & 0xffff]}-7${hex().slice(1)}-${tail()}`;

/** Creates events of an organization. `userIds` are its people, the most active first. Returns `draw(at)`. */
export function eventsOf(userIds, idOf) {
  const clients = userIds.flatMap((user_id, rank) =>
    PREFERENCES.slice(0, 1 + (rank % PREFERENCES.length)).map((part, at) => {
      const [provider, model, input, output, cached] = MODELS[(rank * 5 + at * 7) % MODELS.length];
      return { user_id, provider, model, input, output, cached, share: part / (rank + 1) ** SKEW };
    }),
  );
  const pick = picker(clients);
  return at => {
    const { user_id, provider, model, input, output, cached } = pick();
    const input_tokens = Math.max(1, (input * logNormal()) | 0);
    const cache_read_tokens = (input_tokens * cached) | 0;
    const output_tokens = Math.max(1, (output * logNormal()) | 0);
    const occurred_at = new Date(at).toISOString();
    return { id: idOf(at), user_id, provider, model, occurred_at, input_tokens, cache_read_tokens, output_tokens };
  };
}

/**
 * The time of an event in milliseconds since 1970, from the share of all events before it. Shares must be passed in
 * rising order.
 */
export function clockOf(end, days) {
  const start = end - days * DAY_MS;
  const hours = Array.from({ length: days * 24 }, (_, hour) => {
    const at = new Date(start + hour * HOUR_MS);
    const isWeekend = at.getUTCDay() % 6 === 0;
    return (1 + 0.75 * Math.cos(((at.getUTCHours() - 14) / 12) * Math.PI)) * (isWeekend ? 0.4 : 1);
  });
  const total = hours.reduce((sum, weight) => sum + weight, 0);
  let [hour, reached] = [0, 0];
  return share => {
    while (hour < hours.length - 1 && reached + hours[hour] < share * total) reached += hours[hour++];
    const within = Math.min(1, Math.max(0, (share * total - reached) / hours[hour]));
    const late = Math.random() * (Math.random() < 0.01 ? 3 * DAY_MS : 60_000);
    return Math.floor(start + (hour + within) * HOUR_MS - late);
  };
}

/** Draws an index by weight, from a table. */
export function picker(entries) {
  const total = entries.reduce((sum, { share }) => sum + share, 0);
  const table = entries.flatMap(entry => {
    const places = Math.max(1, Math.round((entry.share / total) * 65_536));
    return Array.from({ length: places }, () => entry);
  });
  return () => table[(Math.random() * table.length) | 0];
}

const LOG_NORMAL = Array.from({ length: 4_096 }, () =>
  Math.exp(Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())),
);

/** A factor with median one and a long tail. */
function logNormal() {
  return LOG_NORMAL[(Math.random() * 4_096) | 0];
}
