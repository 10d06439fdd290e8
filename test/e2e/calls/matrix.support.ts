import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Provider } from '../../support/providers/provider.js';
import type { Death, Script } from '../../support/providers/script.js';
import { textOf } from '../../support/providers/tokens.js';
import { expectBooksToAgree } from './books.support.js';
import {
  FORECAST_CALL,
  WAYS,
  type Access,
  type AskOptions,
  type Driver,
  type Said,
  type Way,
} from './driver.support.js';
import { openStage, type Department, type Stage } from './stage.support.js';

/** The refused users, with status and code. */
export const REFUSED: [Department, number, string][] = [
  ['Interns', 403, 'policy_blocked'],
  ['Broke', 402, 'budget_exceeded'],
  ['Temps', 403, 'approval_required'],
];

const DEATHS: Death[] = ['reset', 'close', 'end', 'error'];

/** Tests every outcome of a call with one SDK, in every way. */
export function describeCallsOf(...drivers: readonly Driver[]): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  beforeEach(() => stage.clear());
  afterAll(() => stage.close());

  describe.each(drivers.flatMap(driver => WAYS.map(way => [driver.name, way, driver] as const)))(
    '%s %s',
    (_name, way, driver) => {
      describeDriver(driver, way, () => stage);
    },
  );
}

function describeDriver(driver: Driver, way: Way, stageNow: () => Stage): void {
  const modes = [
    ['plain', (access: Access, options?: AskOptions) => driver.plain(access, options)],
    ['streamed', (access: Access, options?: AskOptions) => driver.stream(access, options)],
  ] as const;
  const promptTokens = driver.promptTokens[way];
  const accessOf = (department: Department, maxRetries = 0): Access =>
    accessTo(stageNow(), way, driver, department, maxRetries);
  const providerNow = (): Provider => stageNow().providers[driver.provider];
  const script = (...scripts: Script[]): void => {
    for (const one of scripts) providerNow().next({ promptTokens, ...one });
  };
  const books = (): Promise<void> => expectBooksToAgree(stageNow());
  const booksOfBroken = (): Promise<void> =>
    expectBooksToAgree(stageNow(), { isNamed: way === 'through the gateway' || driver.namesBrokenStreams });

  it.each(modes)('records a %s answer as the provider served it', async (_mode, call) => {
    script({ outputTokens: 40, promptTokens: 2_000, cachedTokens: 1_024, pieces: [1, 50, 7] });
    expect(await call(accessOf('Sales'))).toEqual({ text: textOf(0, 40), tools: [] });
    await books();
  });

  it.each(modes)('records %s calls of tools as the provider served them', async (_mode, call) => {
    script({ tools: [FORECAST_CALL, FORECAST_CALL] }, { outputTokens: 4, tools: [FORECAST_CALL] });
    const tools = { tools: true };
    expect((await call(accessOf('Sales'), tools)).tools).toEqual([FORECAST_CALL, FORECAST_CALL]);
    expect(await call(accessOf('Sales'), tools)).toEqual({ text: textOf(0, 4), tools: [FORECAST_CALL] });
    await books();
  });

  describe.each(modes)('records nothing of a %s call', (_mode, call) => {
    it.each([400, 404, 429, 500])('that the provider answers with %d', async status => {
      script({ error: { status } });
      const error: unknown = await call(accessOf('Sales')).catch((error: unknown) => error);
      expect(driver.failureOf(error).status).toBe(status);
      expect(providerNow().totals).toMatchObject({ requests: 1, refused: 1 });
      await books();
    });

    it.each(REFUSED)(
      'of %s, which is refused with %d %s before the provider gets a request',
      async (who, status, code) => {
        const error: unknown = await call(accessOf(who, 2)).catch((error: unknown) => error);
        expect(driver.failureOf(error)).toEqual({ status, code });
        expect(providerNow().totals.requests).toBe(0);
        await books();
      },
    );

    it('that the provider did not accept', async () => {
      await providerNow().refuse();
      await expect(call(accessOf('Sales'))).rejects.toThrow(/./);
      await providerNow().accept();
      expect(providerNow().totals.requests).toBe(0);
      await books();
    });
  });

  it.each(modes)('records a %s call once if the SDK retries', async (_mode, call) => {
    script({ error: { status: 429 } }, { error: { status: driver.provider === 'openai' ? 503 : 529 } }, {});
    expect(await call(accessOf('Sales', 2))).toEqual({ text: textOf(0, 12), tools: [] });
    expect(providerNow().totals).toMatchObject({ requests: 3, refused: 2, finished: 1 });
    await books();
  });

  it('records the streamed usage when the caller disconnects, and closes the connection to the provider', async () => {
    script({ outputTokens: 50, death: { how: 'hang', at: 8 } });
    const { signal, said } = await leaveAfter(driver, accessOf('Sales'), textOf(0, 8));
    expect(signal.aborted).toBe(true);
    expect(said).toBe(textOf(0, 8));
    await providerNow().until(() => providerNow().totals.cut === 1);
    expect(providerNow().served).toMatchObject([{ outcome: 'cut', outputTokens: 8 }]);
    await booksOfBroken();
  });

  it.each(DEATHS)(
    'makes the stream fail and records the streamed usage when the provider breaks it off: %s',
    async how => {
      const wanted = textOf(0, 8);
      let said = '';
      const read = Promise.withResolvers<void>();
      script({ outputTokens: 50, death: { how, at: 8, when: read.promise } });
      const onText = (text: string): void => {
        said += text;
        if (said === wanted) read.resolve();
      };
      const outcome: Said | Error = await driver
        .stream(accessOf('Sales'), { onText })
        .catch((error: unknown) => error as Error);
      expect(said).toBe(wanted);
      if (how !== 'end' || driver.noticesShortStreams || way === 'through the gateway')
        expect(outcome).toHaveProperty('message', expect.stringMatching(/./));
      await booksOfBroken();
    },
  );
}

/** Aborts a streamed call as soon as its text has the length of `text`. */
async function leaveAfter(
  driver: Driver,
  access: Access,
  text: string,
): Promise<{ signal: AbortSignal; said: string }> {
  const abort = new AbortController();
  let said = '';
  const onText = (more: string): void => {
    said += more;
    if (said === text) abort.abort();
  };
  await driver.stream(access, { signal: abort.signal, onText }).catch(() => undefined);
  return { signal: abort.signal, said };
}

/** How a user of a department reaches a provider. */
export function accessTo(
  stage: Stage,
  way: Way,
  driver: Pick<Driver, 'provider'>,
  department: Department,
  maxRetries: number,
): Access {
  const { app, calls, orgId, providers, people } = stage;
  const { url, key } = providers[driver.provider];
  const person = people[department];
  if (way === 'in process') {
    return { root: url, apiKey: key, maxRetries, inProcess: { calls, orgId, user_id: person.id } };
  }
  const root = `${app.url}/gateway/${driver.provider}`;
  return { root, apiKey: person.token, maxRetries, inProcess: undefined };
}
