// API tenants with 7 to 13 days of history: compares the alarms of the product's detector with those of each simple rule
// at the same share of caught spikes. All limits of the detector are scaled by one factor until it catches as many spikes
// as the rule.
//   npm run bench -- anomalies-tenants
import { measure, ourTally } from './support/compare.mjs';
import { judgedDays } from './support/day-series.mjs';
import { ourJudge } from './support/our-judge.mjs';
import { generatedPeople, realTenants } from './support/people-data.mjs';
import { exceeds, SIMPLE_RULES, withFacts } from './support/simple-rules.mjs';

const SCALES = Array.from({ length: 25 }, (_, step) => 0.12 * 1.17 ** step);

report('generated tenants', generatedPeople(60, 14, 11));
const tenants = realTenants();
if (tenants === null) console.log('tenants: skipped: no ../shared/data');
else report('tenants', tenants);

function report(title, group) {
  const days = group.map((tenant, index) =>
    withFacts([...judgedDays(tenant, { minimum: 7, every: 1, seed: index + 1 })]),
  );
  const ours = SCALES.map(scale => ourTally(days, ourJudge(group, days, { scale })));
  console.log(`\n${title}: ${group.length}, ${ours[0].days} days with a past of 7 to 13 days`);
  console.log(
    `${'rule'.padEnd(44)} 5 × caught: its alarms | ours     any size caught: its alarms | ours   (per 1,000 days)`,
  );
  for (const rule of SIMPLE_RULES) {
    for (const factor of [...rule.published, ...(rule.published.length < 2 ? [3] : [])]) {
      const result = measure(days, (entry, counts) => exceeds(rule, factor, entry, counts));
      const cells = ['five', 'any'].map(kind => {
        const equal = ours
          .filter(one => one[kind].all >= result[kind].all)
          .toSorted((a, b) => a.perThousand - b.perThousand)[0];
        return `${result[kind].all.toFixed(0).padStart(4)} %: ${result.perThousand.toFixed(1)} | ${equal ? equal.perThousand.toFixed(1) : 'never'}`;
      });
      console.log(`${`${rule.name}, k = ${factor}`.padEnd(44)} ${cells.map(cell => cell.padEnd(34)).join(' ')}`);
    }
  }
  const own = ours[SCALES.findIndex(scale => scale >= 1)];
  console.log(
    `ours near its own setting: ${own.perThousand.toFixed(1)} per 1,000 days, 5 × ${own.five.all.toFixed(0)} %, any ${own.any.all.toFixed(0)} %`,
  );
}
