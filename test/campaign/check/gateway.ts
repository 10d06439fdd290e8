import { field, ofKind, text } from './evidence.js';
import type { Rule } from './rule.js';

interface CallRow {
  decision_id: string | null;
  n: number;
  input: string;
  output: string;
}

const CALLS = `
select decision_id, count(*)::int as n, sum(input_tokens)::text as input, sum(output_tokens)::text as output
from governance.usage_events where org_id = $1 and decision_id is not null group by decision_id`;

/** A completely answered call is counted once, with the tokens in its answer. */
const COUNTED: Rule = {
  name: 'gateway calls count once, as they were answered',
  check: async evidence => {
    const rows = new Map((await evidence.rows<CallRow>(CALLS)).map(row => [row.decision_id, row]));
    const provided = new Map(evidence.stock.provided.map(call => [call.call, call]));
    const violations: string[] = [];
    const answered = ofKind(evidence, 'gateway').filter(({ status }) => status === 200);
    for (const { op, asked, answer } of answered) {
      const row = rows.get(text(answer, 'decision'));
      const served = provided.get(text(asked, 'call'));
      if (!row) violations.push(`operation ${op}: the call of ${text(answer, 'decision')} is not counted`);
      else if (row.n !== 1)
        violations.push(`operation ${op}: the call of ${text(answer, 'decision')} counts ${row.n} times`);
      // Without final usage, the tokens are estimated from the stream.
      else if (served?.usageSent && field(answer, 'input') !== null) {
        const [input, output] = [Number(field(answer, 'input')), Number(field(answer, 'output'))];
        if (Number(row.input) !== input || Number(row.output) !== output) {
          violations.push(`operation ${op}: ${row.input} + ${row.output} tokens are counted of ${input} + ${output}`);
        }
      }
    }
    return { examined: answered.length, violations };
  },
};

/** The gateway never repeats a call that may have arrived, and counts no call that the provider did not receive. */
const ASKED_ONCE: Rule = {
  name: 'the provider gets each gateway call once',
  check: async evidence => {
    const doubled = [...Map.groupBy(evidence.stock.provided, ({ call }) => call)]
      .filter(([, same]) => same.length > 1)
      .map(([call, same]) => `"${call}" arrived ${same.length} times`);
    const [row] = await evidence.rows<{ n: number }>(
      `select count(*)::int as n from governance.usage_events where org_id = $1 and user_id = any ('{${evidence.stock.gatewayUsers.join()}}')`,
    );
    const counted = row?.n ?? 0;
    const served = evidence.stock.provided.length;
    const excess = counted > served ? [`${counted} calls are counted, and the provider got ${served}`] : [];
    return { examined: served, violations: [...doubled, ...excess] };
  },
};

export const GATEWAY_RULES: readonly Rule[] = [COUNTED, ASKED_ONCE];
