import { dayPeople } from './day-series.mjs';
import { seeded } from './random.mjs';
import { sharedCsv } from './shared-data.mjs';

const DAY = 86_400_000;

/** Real people's activity by date and local hour, or null. */
export function realPeople() {
  const rows = sharedCsv('anomaly/people_activity.csv.gz');
  return (
    rows && dayPeople(rows.map(([id, date, hour, count]) => [id, Date.parse(date) / DAY, Number(hour), Number(count)]))
  );
}

/** API tenants: hourly requests of up to 14 days, or null. */
export function realTenants() {
  const rows = sharedCsv('usage/servegen_client_hourly_requests.csv.gz');
  return (
    rows &&
    dayPeople(
      rows.map(([, client, hour, requests]) => [
        client,
        Math.floor(Number(hour) / 24),
        Number(hour) % 24,
        Number(requests),
      ]),
    )
  );
}

/** Generated people with a working day, days off, growth and a heavy tail of busy days. Needs no shared data. */
export function generatedPeople(count, days, seed) {
  const entries = [];
  for (let person = 0; person < count; person++) {
    const random = seeded(seed + person);
    const start = 7 + Math.floor(random() * 4);
    const size = Math.exp(random() * 2.5);
    for (let day = 0; day < days; day++) {
      const off = day % 7 >= 5 ? 0.85 : 0.25;
      if (random() < off) continue;
      const busy = size * Math.exp(0.7 * gauss(random)) * (1 + day / days / 2);
      for (let hour = start; hour < start + 9; hour++) {
        const requests = Math.floor((-Math.log(1 - random()) * busy) / 4);
        if (requests > 0) entries.push([`generated-${person}`, day, hour, requests]);
      }
    }
  }
  return dayPeople(entries);
}

function gauss(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
