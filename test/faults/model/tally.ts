/** Situations that the histories must contain. Without them, the test would pass without testing anything. */
const EVENTS = [
  'delivered',
  'failed',
  'cancelled',
  'manual attempt',
  'recovery attempt',
  'signed with two secrets',
  'outcome lost',
  'worker died before the request',
  'given up after interruptions',
  'answered late',
  'answered too late',
] as const;

export type TalliedEvent = (typeof EVENTS)[number];

/** Counts the situations of all histories. */
export class Tally {
  readonly #counts = new Map<TalliedEvent, number>(EVENTS.map(event => [event, 0]));

  count(event: TalliedEvent): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
  }

  /** The situations that occurred less often than required. */
  rarerThan(count: number): string[] {
    return [...this.#counts].filter(([, counted]) => counted < count).map(([event, n]) => `${event}: ${n} times`);
  }
}
