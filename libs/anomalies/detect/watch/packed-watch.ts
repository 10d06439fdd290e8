import type { History } from '../person/history.js';
import type { DayShape } from '../person/day-shape.js';
import { ofEach, type OfEach } from './figures.js';
import type { PersonWatch } from './person-watch.js';

/** First day, then six numbers for each active day: a third of the text that named fields would take. */
type PackedHistory = readonly (number | null)[];

interface PackedWatch {
  readonly v: 1;
  readonly metrics: OfEach<PackedHistory>;
  readonly models: readonly (readonly [string, PackedHistory])[];
  readonly episode: PersonWatch['episode'];
  readonly tolerance: number;
}

const FIELDS = 6;

/** A watch as the text that is stored. */
export function packWatch({ metrics, models, episode, tolerance }: PersonWatch): string {
  const packed: PackedWatch = {
    v: 1,
    metrics: ofEach(metric => packedHistory(metrics[metric])),
    models: [...models].map(([model, history]) => [model, packedHistory(history)]),
    episode,
    tolerance,
  };
  return JSON.stringify(packed);
}

/** The watch of a stored text; undefined where an unknown version wrote it. */
export function unpackWatch(text: string): PersonWatch | undefined {
  const packed: PackedWatch = JSON.parse(text);
  if (packed.v !== 1) return undefined;
  const { metrics, models, episode, tolerance } = packed;
  return {
    metrics: ofEach(metric => unpacked(metrics[metric])),
    models: new Map(models.map(([model, history]) => [model, unpacked(history)])),
    episode,
    tolerance,
  };
}

function packedHistory({ firstDay, days }: History): PackedHistory {
  return [
    firstDay,
    ...days.flatMap(({ day, total, busiest, third, eighth, hours }) => [
      day,
      ...[total, busiest, third, eighth].map(rounded),
      hours,
    ]),
  ];
}

function unpacked([firstDay = null, ...numbers]: PackedHistory): History {
  const days: DayShape[] = [];
  for (let at = 0; at + FIELDS <= numbers.length; at += FIELDS) {
    const [day, total, busiest, third, eighth, hours] = numbers.slice(at, at + FIELDS).map(Number);
    days.push({
      day: day ?? 0,
      total: total ?? 0,
      busiest: busiest ?? 0,
      third: third ?? 0,
      eighth: eighth ?? 0,
      hours: hours ?? 0,
    });
  }
  return { firstDay, days };
}

/** Six digits are more than any limit can tell apart. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6));
}
