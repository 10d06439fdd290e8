import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_FULL, report } from '../faults/processes/chance.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';
import { FORMER_FAULTS } from './former-faults.js';
import { inputsFor } from './parser.js';
import { allParsers } from './parsers/index.js';
import { prepareGround, ROUTES, type Ground } from './routes.js';

const INPUTS = Number(process.env['FUZZ_REQUESTS'] ?? (IS_FULL ? 1_000 : 12));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const ANSWER_MIN = 64 * 1024;

describe(`requests from the inputs of the parsers (seed ${SEED})`, () => {
  let app: TestApp;
  let ground: Ground;

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    ground = await prepareGround(app.orgId, app.call, app.as(null), (await app.addToken('scim')).call);
  });

  afterAll(() => app?.close());

  it('are created only for existing parsers', async () => {
    const names = (await allParsers()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...ROUTES.keys()]));
  });

  it.each([...ROUTES])(
    'are answered with less than 500 and within the size limit: %s',
    async (name, send) => {
      const parser = (await allParsers()).find(each => each.name === name);
      const former = FORMER_FAULTS.filter(fault => fault.parser === name).map(({ input }) => input);
      const inputs = [...former, ...(parser ? inputsFor(parser, INPUTS, SEED) : [])];
      const faults: object[] = [];
      const statuses: Record<string, number> = {};
      for (const input of inputs) {
        const { status, text } = await send(input, ground);
        statuses[status] = (statuses[status] ?? 0) + 1;
        const sent = Buffer.byteLength(typeof input === 'string' ? input : JSON.stringify(input));
        const isBounded = status < 400 || Buffer.byteLength(text) <= Math.max(ANSWER_MIN, 2 * sent);
        if (status >= 500 || !isBounded) faults.push({ status, input, text: text.slice(0, 500) });
      }
      if (IS_FULL) report(name, statuses);
      expect(inputs.length).toBeGreaterThanOrEqual(INPUTS);
      expect(faults).toEqual([]);
    },
    600_000,
  );
});
