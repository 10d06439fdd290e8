import { Temporal } from 'temporal-polyfill';

/** Position of a UTC hour in the calendar of a time zone. */
export interface LocalHour {
  /** Days since the epoch. */
  readonly day: number;
  /** 0 to 23. The repeated hour in autumn counts as one hour; the skipped hour in spring has no usage. */
  readonly hour: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Converts hours of usage to the calendar of a time zone. In every zone, hours of usage begin on the hour of UTC. */
export class LocalDays {
  private readonly hours = new Map<number, LocalHour>();

  /** @param timeZone IANA name */
  constructor(private readonly timeZone: string) {}

  /** The local day and hour of a UTC hour. */
  at(hour: Date): LocalHour {
    const known = this.hours.get(hour.getTime());
    if (known) return known;
    const local = Temporal.Instant.fromEpochMilliseconds(hour.getTime()).toZonedDateTimeISO(this.timeZone);
    const place = { day: dayNumber(local.toPlainDate()), hour: local.hour };
    this.hours.set(hour.getTime(), place);
    return place;
  }

  /** The start of a day, and the start of the next day. */
  bounds(day: number): { readonly start: Date; readonly end: Date } {
    return { start: this.startOf(day), end: this.startOf(day + 1) };
  }

  /** All UTC hours that begin in the given days. */
  hoursOf(days: Iterable<number>): Date[] {
    return [...new Set(days)].flatMap(day => {
      const { start, end } = this.bounds(day);
      const first = Math.ceil(start.getTime() / HOUR_MS) * HOUR_MS;
      const hours: Date[] = [];
      for (let at = first; at < end.getTime(); at += HOUR_MS) hours.push(new Date(at));
      return hours;
    });
  }

  private startOf(day: number): Date {
    const date = Temporal.PlainDate.from(isoDate(day));
    return new Date(date.toZonedDateTime(this.timeZone).epochMilliseconds);
  }
}

/** A day as `YYYY-MM-DD`. */
export function isoDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function dayNumber({ year, month, day }: Temporal.PlainDate): number {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY_MS);
}
