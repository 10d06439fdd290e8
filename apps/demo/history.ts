import type { Api } from './api.js';
import type { Model, Person } from './people.js';
import { randomFrom, type Random } from './random.js';

const HOUR = 3_600_000;
const DAYS = 30;
/** Maximum number of events per request. */
const BATCH = 1_000;
/** Shares of a working day's requests, for each hour from 8 to 19 local time. */
const BY_HOUR = [3, 8, 12, 13, 8, 7, 11, 13, 11, 8, 4, 2];
const FIRST_HOUR = 8;
const WEEKEND = 0.06;

/** Usage of one person, model and hour, aggregated as a gateway would. */
export function usageEvent(id: string, person: Person, model: Model, at: Date, requests: number, random: Random) {
  const tokens = (median: number): number => Math.max(1, Math.round(requests * random.around(median, 0.25)));
  return {
    id,
    user_email: person.email,
    provider: model.provider,
    model: model.model,
    occurred_at: at.toISOString(),
    input_tokens: tokens(model.input),
    output_tokens: tokens(model.output),
    requests,
  };
}

export type UsageEvent = ReturnType<typeof usageEvent>;

/**
 * Reports thirty days of usage until now through the API. There is little usage at weekends and none at night. The data
 * is synthetic: requests per person follow Zipf's law, tokens follow published inference traces, and the hours are
 * office hours. No public data set has people, models and tokens together.
 */
export async function reportHistory(api: Api, people: readonly Person[], now: Date, timeZone: string): Promise<number> {
  const random = randomFrom(7);
  const local = localTimes(timeZone);
  let batch: UsageEvent[] = [];
  let sent = 0;
  for (let at = now.getTime() - DAYS * 24 * HOUR; at < now.getTime() - HOUR; at += HOUR) {
    const { hour, isWeekend } = local(at);
    const share = (BY_HOUR[hour - FIRST_HOUR] ?? 0) / 100;
    if (share === 0) continue;
    for (const [number, person] of people.entries()) {
      const expected = person.perDay * share * (isWeekend ? WEEKEND : 1) * random.around(1, 0.35);
      const requests = Math.floor(expected + random.next());
      if (requests === 0) continue;
      const model = random.weighted(person.models);
      const minute = new Date(at + random.between(0, 59) * 60_000);
      batch.push(usageEvent(`history-${number}-${at / HOUR}`, person, model, minute, requests, random));
      if (batch.length === BATCH) await send();
    }
  }
  await send();
  return sent;

  async function send(): Promise<void> {
    if (batch.length === 0) return;
    await api('POST', '/usage/events', { events: batch });
    sent += batch.length;
    batch = [];
  }
}

/** The local hour of an instant in the organization's time zone, and whether it is a weekend. */
function localTimes(timeZone: string): (at: number) => { hour: number; isWeekend: boolean } {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23', weekday: 'short' });
  return at => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return { hour: Number(parts['hour']), isWeekend: parts['weekday'] === 'Sat' || parts['weekday'] === 'Sun' };
  };
}
