import { doesNotThrow, equal, ok } from 'node:assert/strict';
import type { Json } from '#core';
import type { InboundReport } from '#itsm';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

const SECRET = 'a-secret-of-webhooks-0123456789';
const OTHER = 'a-secret-of-webhooks-0123456780';

/** Rules for platforms that sign their reports. */
export const SIGNATURE_RULES: Readonly<Record<string, Rule>> = {
  'accepts the platform’s signature of the exact bytes, and no other': async stage => {
    const { adapter, ground } = stage;
    if (!adapter.isSigned) return stage.skip('the adapter has no `isSigned`');
    const { signs, signsBody = true, signsTogether = false, inbound = [] } = ground;
    ok(signs && inbound.length > 0, 'an adapter with `isSigned` needs `signs` and `inbound` in its ground');
    const check = (wanted: boolean, report: InboundReport, why: string): void => {
      let is: unknown;
      doesNotThrow(() => (is = adapter.isSigned?.(report, SECRET)), why);
      equal(is, wanted, why);
    };
    for (const { body } of inbound) {
      // The signature covers the exact bytes of the body, with its spaces and escapes. An adapter that parses and
      // serializes the body would check other bytes.
      const bytes = Buffer.from(` ${JSON.stringify(body, null, 3)}\n`);
      const headers = signs(bytes, SECRET);
      check(true, { headers, bytes }, 'a valid signature');
      check(false, { headers: {}, bytes }, 'no signature');
      check(false, { headers: signs(bytes, OTHER), bytes }, 'the signature of another secret');
      // If the platform sends the secret itself, the header stays valid even with a changed body.
      check(!signsBody, { headers, bytes: Buffer.concat([bytes, Buffer.from(' ')]) }, 'another body');
      check(!signsBody, { headers, bytes: Buffer.from(JSON.stringify(body)) }, 'the same JSON in other bytes');
      check(false, { headers, bytes: null }, 'a body that is gone');
      for (const [name, value] of Object.entries(headers)) {
        const broken = [
          '',
          'x',
          value.slice(0, -1),
          `${value}0`,
          value.slice(value.indexOf('=') + 2),
          `${value},${value}`,
        ];
        if (signsTogether) broken.splice(-1, 1, `${value.slice(0, -1)},${value}0`);
        const another = new Map(Object.entries(signs(bytes, OTHER))).get(name) ?? '';
        if (signsTogether)
          check(true, { headers: { ...headers, [name]: `${another},${value}` }, bytes }, 'two signatures');
        for (const each of broken) check(false, { headers: { ...headers, [name]: each }, bytes }, `${name}: ${each}`);
      }
    }
  },
};

/** A report in the form that an adapter gets. */
export function reportOf(body: Json, headers: Readonly<Record<string, string>> = {}): InboundReport {
  return { headers: { 'content-type': 'application/json', ...headers }, bytes: Buffer.from(JSON.stringify(body)) };
}
