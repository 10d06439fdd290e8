import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calcPrice, extractUsage, findProvider, type Usage } from '@pydantic/genai-prices';
import { IS_FULL } from '../faults/processes/chance.js';
import { describeWhere } from '../support/describe-where.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { createUser, type EventBody } from './usage.support.js';
import { HAND_WRITTEN_BODIES } from './usage-bodies.js';

const FILE = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'pricing', 'usage_bodies.json.gz');

/** One published body, and the results of the published readers of each provider. */
interface PublishedBody {
  body: { usage?: object; usageMetadata?: object; meta?: object };
  model?: string;
  extracted: { usage: Usage; extractors: Reader[] }[];
}

interface Reader {
  provider_id: string;
  api_flavor: string;
  /** Missing if the catalog did not know the model at the time of publication. */
  input_price?: string;
  output_price?: string;
  total_price?: string;
}

/** An event to send, and its expected result. */
interface Case {
  provider: string;
  model: string;
  flavor: string | undefined;
  sent: object;
  usage: Usage;
  /** US dollars; null if no price is known. */
  cost: number | null;
}

/** A time before the prices changed that changed after the publication, and at an hour without a discount. */
const WHEN = '2026-05-01T05:00:00Z';
/** The model of events whose body names no model. It has no price. */
const NAMELESS = 'not-named';
/** One in this many stored events is read over HTTP, the others from the database. */
const READ_ONE_IN = IS_FULL ? 1 : 10;
/** A ten-millionth of a cent. */
const EXACT = 5.000_1e-9;

/**
 * The reasons why a cost may differ from the published one, each with its number of cases. The list must not grow.
 * Check it again for each new version of the catalog.
 */
const DIFFERENCES = {
  'the catalogue knows a model that it did not know then': 22,
  'the catalogue has another price now': 2,
  'the catalogue reads cache writes that it did not read then': 6,
  'the name of the provider stands before the model, and is passed over': 35,
  'the catalogue does not read num_cached_tokens': 20,
};

/**
 * The numbers for bodies that are sent without a format. There are fewer cases, because most readers do not fit a given
 * body.
 */
const DIFFERENCES_WITHOUT_FLAVOR = {
  'the catalogue knows a model that it did not know then': 18,
  'the catalogue has another price now': 2,
  'the catalogue reads cache writes that it did not read then': 6,
  'the name of the provider stands before the model, and is passed over': 25,
  'the catalogue does not read num_cached_tokens': 20,
};

describe('usage as providers return it', () => {
  let app: TestApp;
  let ada: string;

  beforeAll(async () => {
    app = await startTestApp();
    app.clock.set(WHEN);
    ada = await createUser(app.call, 'ada');
  });

  afterAll(() => app.close());

  /** Reports cases in batches. The ids are `<name>-<index>`. */
  async function sendAll(cases: readonly Case[], name: string): Promise<void> {
    const events = cases.map(({ provider, model, flavor, sent }, index): EventBody => {
      const event = { user_id: ada, provider, model, occurred_at: WHEN, usage: sent };
      return { id: `${name}-${index}`, ...event, ...(flavor === undefined ? {} : { api_flavor: flavor }) };
    });
    for (let from = 0; from < events.length; from += 1_000) {
      const batch = events.slice(from, from + 1_000);
      const { body } = await app.call('POST', '/v1/usage/events', { events: batch });
      expect(body).toEqual({ accepted: batch.length, duplicates: 0, rejected: [] });
    }
  }

  /** The events by index. One in {@link READ_ONE_IN} is read from the API. */
  async function readEach(name: string): Promise<Answer['body'][]> {
    const found = await readAll(name);
    let next = 0;
    const read = async (): Promise<void> => {
      for (let index = next; index < found.length; index = next) {
        next += READ_ONE_IN;
        found[index] = (await app.call('GET', `/v1/usage/events/${name}-${index}`)).body;
      }
    };
    await Promise.all(Array.from({ length: 12 }, read));
    return found;
  }

  /** Reads all stored events of a file from the database. */
  function readAll(name: string): Promise<Answer['body'][]> {
    return app.database.asOwner(
      `select input_tokens::float8, output_tokens::float8, cache_read_tokens::float8, cache_write_tokens::float8,
         reasoning_tokens::float8, units, cost_usd::float8
       from governance.usage_events where id like $1 || '-%' order by split_part(id, '-', 2)::integer`,
      [name],
    );
  }

  describe('in bodies based on the providers’ documentation', () => {
    it.each(HAND_WRITTEN_BODIES.map(body => [body.name, body] as const))(
      '%s',
      async (_name, { event, tokens, cost }) => {
        for (const [at, body] of [event, { ...event, api_flavor: undefined }].entries()) {
          const id = `hand-${_name}-${at}`;
          const sent = { id, user_id: ada, occurred_at: WHEN, ...body };
          const { body: receipt } = await app.call('POST', '/v1/usage/events', { events: [sent] });
          expect(receipt).toMatchObject({ accepted: 1, rejected: [] });
          const { body: read } = await app.call('GET', `/v1/usage/events/${encodeURIComponent(id)}`);
          expect(read).toMatchObject({ ...tokens, cost_usd: cost });
        }
      },
    );
  });

  describeWhere(!existsSync(FILE) && 'no ../shared/data', 'in published bodies', () => {
    it('costs the published amount for each of 900 bodies and each of its readers', async () => {
      const cases = readBodies().flatMap(casesOf);
      expect(cases.length).toBe(11_139);
      await sendAll(cases, 'with');
      const read = await readEach('with');
      expect(differences(cases, read)).toEqual({ unexplained: [], reasons: DIFFERENCES });
    }, 600_000);

    it('is read without a stated format whenever it can be recognized', async () => {
      const cases = readBodies().flatMap(tellableCasesOf);
      expect(cases.length).toBe(9_648);
      await sendAll(cases, 'without');
      const read = await readAll('without');
      expect(differences(cases, read)).toEqual({ unexplained: [], reasons: DIFFERENCES_WITHOUT_FLAVOR });
    }, 600_000);
  });
});

/**
 * Compares cases with the published results. Returns the number of differences for each known reason, and the
 * differences without a known reason.
 */
function differences(cases: readonly Case[], events: readonly Answer['body'][]) {
  const reasons: Record<string, number> = {};
  const unexplained: object[] = [];
  for (const [index, wanted] of cases.entries()) {
    const event = events[index];
    if (isAsPublished(wanted, event)) continue;
    const reason = reasonOf(wanted, event);
    if (reason) reasons[reason] = (reasons[reason] ?? 0) + 1;
    else unexplained.push({ ...wanted, event });
  }
  return { unexplained, reasons };
}

function readBodies(): PublishedBody[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as PublishedBody[];
}

function casesOf({ body, model = NAMELESS, extracted }: PublishedBody): Case[] {
  const sent = body.usage ?? body.usageMetadata ?? body.meta ?? {};
  return extracted.flatMap(({ usage, extractors }) =>
    extractors.map(reader => {
      const { provider_id: provider, api_flavor: flavor } = reader;
      return { provider, model, flavor, sent, usage, cost: costOf(reader) };
    }),
  );
}

/**
 * For each provider, the case whose reader found the most fields in the body. A provider is left out if two readers
 * found equally many fields with different values.
 */
function tellableCasesOf(body: PublishedBody): Case[] {
  const byProvider = Map.groupBy(casesOf(body), ({ provider }) => provider);
  return [...byProvider.values()].flatMap(cases => {
    const most = Math.max(...cases.map(({ usage }) => Object.keys(usage).length));
    const [best, ...others] = cases.filter(({ usage }) => Object.keys(usage).length === most);
    if (!best) return [];
    // Cohere reports billed tokens, and the default reading counts them. The other reader of Cohere counts processed
    // tokens.
    const billed = best.provider === 'cohere' ? cases.find(({ flavor }) => flavor === 'default') : undefined;
    if (!billed && others.some(({ usage }) => textOf(usage) !== textOf(best.usage))) return [];
    return [{ ...(billed ?? best), flavor: undefined }];
  });
}

function costOf({ input_price, output_price, total_price }: Reader): number | null {
  if (input_price === undefined) return null;
  return total_price === undefined ? Number(input_price) + Number(output_price) : Number(total_price);
}

const textOf = (usage: Usage): string =>
  Object.entries(usage)
    .map(([key, count]) => `${key}=${count}`)
    .sort()
    .join();

function isAsPublished({ usage, cost }: Case, event: Answer['body']): boolean {
  return isSameCost(cost, event.cost_usd) && textOf(positive(usage)) === textOf(positive(usageOf(event)));
}

function isSameCost(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) < EXACT;
}

/** The stored counts under the catalog's names. */
function usageOf(event: Answer['body']): Usage {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units } = event;
  const classes = { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens };
  return { ...classes, output_reasoning_tokens: reasoning_tokens, ...units };
}

function positive(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0));
}

/** The known reason of a difference. Compares with the result of the installed catalog for the same body. */
function reasonOf(
  { provider, model, flavor, sent, usage, cost }: Case,
  event: Answer['body'],
): keyof typeof DIFFERENCES | undefined {
  const counted = usageOf(event);
  const theirs = calcPrice(positive(counted), model, { providerId: provider, timestamp: new Date(WHEN) });
  if (event.cache_write_tokens > 0 && (usage['cache_write_tokens'] ?? 0) === 0) {
    const readers = flavor === undefined ? ['chat', 'responses'] : [flavor];
    const isTheirs = readers.some(
      reader => textOf(positive(counted)) === textOf(positive(extracted(provider, reader, sent))),
    );
    const isPriced = isSameCost(theirs?.total_price ?? null, event.cost_usd);
    return isTheirs && isPriced ? 'the catalogue reads cache writes that it did not read then' : undefined;
  }
  const cached = 'num_cached_tokens' in sent ? Number(sent.num_cached_tokens) : 0;
  if (cached && textOf({ ...positive(usage), cache_read_tokens: cached }) === textOf(positive(counted))) {
    const isPriced = isSameCost(theirs?.total_price ?? null, event.cost_usd);
    return isPriced ? 'the catalogue does not read num_cached_tokens' : undefined;
  }
  if (textOf(positive(usage)) !== textOf(positive(counted))) return undefined;
  if (theirs && isSameCost(theirs.total_price, event.cost_usd)) {
    return cost === null
      ? 'the catalogue knows a model that it did not know then'
      : 'the catalogue has another price now';
  }
  if (theirs || cost !== null) return undefined;
  const bare = calcPrice(positive(counted), model.slice(model.indexOf('/') + 1), {
    providerId: provider,
    timestamp: new Date(WHEN),
  });
  return model.includes('/') && bare && isSameCost(bare.total_price, event.cost_usd)
    ? 'the name of the provider stands before the model, and is passed over'
    : undefined;
}

function extracted(providerId: string, flavor: string, usage: object): Usage {
  const provider = findProvider({ providerId });
  try {
    return provider ? extractUsage(provider, { usage }, flavor).usage : {};
  } catch {
    return {};
  }
}
