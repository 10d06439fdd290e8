import type { DayShape } from '../person/day-shape.js';
import type { History } from '../person/history.js';
import { METRICS, type OfEach, ofEach } from './figures.js';
import { PackReader, PackWriter } from './pack-bytes.js';
import type { PersonWatch } from './person-watch.js';

/** Version of the encoding. Other versions are not read. */
const VERSION = 2;

/** The part of the state that is stored as JSON, before the histories. */
interface Header {
  readonly episode: PersonWatch['episode'];
  readonly tolerance: number;
  /** Names of the models, in the order of their histories. */
  readonly models: readonly string[];
}

/** Factors by which quantities are multiplied before they are stored as whole numbers. */
const SCALES: OfEach<number> = { requests: 1, tokens: 1_000, cost_usd: 10_000 };

/** Flags that refer to the same day in the history of requests: the day has the same active hours, or is identical. */
const SAME_HOURS = 2;
const SAME_DAY = 1;
/** A day is stored as its distance from the previous day, multiplied by the number of flag values, plus the flags. */
const FLAGS = 4;

/**
 * Encodes a watch in a quarter of the size of JSON. Every pass of the detection writes the watch, so its size
 * determines the load of the database.
 */
export function packWatch({ metrics, models, episode, tolerance }: PersonWatch): Buffer {
  const header: Header = { episode, tolerance, models: [...models.keys()] };
  const writer = new PackWriter();
  writer.number(VERSION);
  writer.text(JSON.stringify(header));
  for (const metric of METRICS) writeHistory(writer, metrics[metric], SCALES[metric], metrics.requests);
  for (const history of models.values()) writeHistory(writer, history, SCALES.requests, metrics.requests);
  return writer.bytes();
}

/** Decodes stored bytes; undefined if an unknown version wrote them. */
export function unpackWatch(bytes: Uint8Array): PersonWatch | undefined {
  const reader = new PackReader(bytes);
  if (reader.number() !== VERSION) return undefined;
  const { episode, tolerance, models }: Header = JSON.parse(reader.text());
  const requests = readHistory(reader, SCALES.requests, undefined);
  const metrics = ofEach(metric => (metric === 'requests' ? requests : readHistory(reader, SCALES[metric], requests)));
  return {
    metrics,
    models: new Map(models.map(model => [model, readHistory(reader, SCALES.requests, requests)])),
    episode,
    tolerance,
  };
}

/** @param like the history of requests, which most other histories resemble */
function writeHistory(writer: PackWriter, history: History, scale: number, like: History): void {
  writer.number(history.firstDay === null ? 0 : history.firstDay + 1);
  writer.number(history.days.length);
  let last = history.firstDay ?? 0;
  const alike = sameDays(history === like ? undefined : like);
  for (const shape of history.days) {
    const other = alike(shape.day);
    const hasSameHours = other?.hours === shape.hours;
    const isSame = hasSameHours && scale === SCALES.requests && areSameSizes(shape, other);
    writer.number((shape.day - last) * FLAGS + (hasSameHours ? SAME_HOURS : 0) + (isSame ? SAME_DAY : 0));
    last = shape.day;
    if (isSame) continue;
    if (!hasSameHours) writer.number(shape.hours);
    writer.number(whole(shape.total * scale));
    writer.number(whole(shape.busiest * scale));
    writer.number(whole(shape.third * scale));
    writer.number(whole(shape.eighth * scale));
  }
}

function readHistory(reader: PackReader, scale: number, like: History | undefined): History {
  const first = reader.number();
  const length = reader.number();
  const days: DayShape[] = [];
  let day = Math.max(0, first - 1);
  const alike = sameDays(like);
  for (let at = 0; at < length; at++) {
    const head = reader.number();
    const flags = head % FLAGS;
    day += (head - flags) / FLAGS;
    const other = flags === 0 ? undefined : alike(day);
    days.push(other && (flags & SAME_DAY) !== 0 ? other : readDay(reader, day, scale, other?.hours));
  }
  return { firstDay: first === 0 ? null : first - 1, days };
}

function readDay(reader: PackReader, day: number, scale: number, knownHours: number | undefined): DayShape {
  const hours = knownHours ?? reader.number();
  const total = reader.number() / scale;
  const busiest = reader.number() / scale;
  const third = reader.number() / scale;
  const eighth = reader.number() / scale;
  return { day, total, busiest, third, eighth, hours };
}

/** Returns a function that finds a day of a history. Call it with increasing days. */
function sameDays(history: History | undefined): (day: number) => DayShape | undefined {
  const days = history?.days ?? [];
  let at = 0;
  return day => {
    for (let other = days[at]; other !== undefined && other.day <= day; other = days[++at]) {
      if (other.day === day) return other;
    }
    return undefined;
  };
}

/** Corrections of usage may make a quantity negative. Negative quantities are stored as zero. */
function whole(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)));
}

function areSameSizes(a: DayShape, b: DayShape | undefined): boolean {
  return a.total === b?.total && a.busiest === b.busiest && a.third === b.third && a.eighth === b.eighth;
}
