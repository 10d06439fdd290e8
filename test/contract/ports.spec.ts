import { PricingCatalog, SystemClock, type PriceQuote, type PriceRequest } from '#core';
import { SecretUnreadableError, type Clock, type SealedSecret, type SecretCipher, type SecretPlace } from '#core';
import { BUILT_IN_OPERATORS, type ConditionOperator, type PresentValue } from '#policy';
import { EnvelopeCipher } from '#secrets';
import { GenaiPricesCatalog, OverridingCatalog } from '#usage';
import { ContractPrices } from '../../apps/examples/docs-snippets/src/contract.prices.js';
import { StoppedClock } from '../../apps/examples/docs-snippets/src/own-clock.js';
import { UnderOperator } from '../../apps/examples/docs-snippets/src/under.operator.js';
import { holds } from '../support/contracts.js';
import { cipherOf } from '../../libs/secrets/testing/secret-replica.js';
import {
  clockContract,
  conditionOperatorContract,
  pricingCatalogContract,
  secretCipherContract,
  type ContractCase,
  type OperatorExample,
} from '../../libs/testing/index.js';

const START = Date.UTC(2026, 10, 20);

holds<Clock>('Clock', {
  cases: clock => clockContract(() => ({ clock })),
  kept: { 'the clock of the machine': () => new SystemClock(), 'a clock that stands still': () => new StoppedClock() },
  broken: {
    'answers no time': () => ({ now: () => new Date(NaN) }),
    'gives its own date away': () => {
      const date = new Date(START);
      return { now: () => date };
    },
    'runs backwards': () => {
      let time = START;
      return { now: () => new Date(--time) };
    },
  },
});

const PRICED: PriceRequest = {
  provider: 'openai',
  model: 'gpt-4o',
  at: new Date(START),
  tokens: { input_tokens: 1_000, output_tokens: 100 },
};

class Broken extends PricingCatalog {
  constructor(
    private readonly answer: (quote: PriceQuote | null, request: PriceRequest) => PriceQuote | null,
    private readonly name: (name: string | null) => string | null = name => name,
    private readonly published = new GenaiPricesCatalog(),
  ) {
    super();
  }

  quote(request: PriceRequest): PriceQuote | null {
    return this.answer(this.published.quote(request), request);
  }

  identify(provider: string, model: string): string | null {
    return this.name(this.published.identify(provider, model));
  }
}

function thrown(message: string): never {
  throw new Error(message);
}

let calls = 0n;
holds<PricingCatalog>('PricingCatalog', {
  cases: catalog => pricingCatalogContract(() => ({ catalog, priced: { ...PRICED, tokens: { ...PRICED.tokens } } })),
  kept: {
    'the catalogue of genai-prices': () => new GenaiPricesCatalog(),
    'prices of an organization on top': () =>
      new OverridingCatalog(new GenaiPricesCatalog(), [
        { provider: 'openai', model: 'gpt-4*', inputPerMillionUsd: 1, outputPerMillionUsd: 2, version: '1' },
      ]),
    'prices of a host': () => new ContractPrices(),
  },
  broken: {
    pays: () => new Broken(quote => quote && { ...quote, picodollars: -1n }),
    'names no source': () => new Broken(quote => quote && { ...quote, source: '' }),
    'changes its mind': () => new Broken(quote => quote && { ...quote, picodollars: ++calls }),
    'prices everything': () => new Broken(quote => quote ?? { picodollars: 1n, source: 'x', version: '1' }),
    'knows everything': () =>
      new Broken(
        quote => quote,
        name => name ?? 'anything',
      ),
    'throws for what it does not know': () => new Broken(quote => quote ?? thrown('unknown')),
    'names nothing': () =>
      new Broken(
        quote => quote,
        () => null,
      ),
    'changes the request': () =>
      new Broken((quote, { tokens }) => {
        tokens.input_tokens = 0;
        return quote;
      }),
    'throws for old prices': () => new Broken((quote, { at }) => (at.getTime() < START ? thrown('too old') : quote)),
  },
});

const ring = (cipher: EnvelopeCipher, change: Partial<SecretCipher>): SecretCipher => ({
  keyIds: cipher.keyIds,
  encrypt: (text, place) => cipher.encrypt(text, place),
  decrypt: (sealed, place) => cipher.decrypt(sealed, place),
  rewrap: (sealed, place) => cipher.rewrap(sealed, place),
  ...change,
});
const ours = (): EnvelopeCipher => cipherOf('k2', 'k1');
const clear = (text: string): SealedSecret => ({ keyId: 'k2', ciphertext: Buffer.from(text) });
const HERE: SecretPlace = { orgId: 'org-1', owner: 'webhooks', ownerId: 'row-1', name: 'signing_secret' };

holds<SecretCipher>('SecretCipher', {
  cases: cipher => secretCipherContract(() => ({ cipher, older: cipherOf('k1') })),
  kept: { 'envelope encryption': ours },
  broken: {
    'trims what it opens': () =>
      ring(ours(), { decrypt: async (sealed, place) => (await ours().decrypt(sealed, place)).trim().slice(0, 100) }),
    'seals nothing': () =>
      ring(ours(), { encrypt: async text => clear(text), decrypt: async ({ ciphertext }) => ciphertext.toString() }),
    'writes under the old key': () => ring(ours(), { encrypt: (text, place) => cipherOf('k1').encrypt(text, place) }),
    'forgets the place': () =>
      ring(ours(), {
        encrypt: text => ours().encrypt(text, HERE),
        decrypt: sealed => ours().decrypt(sealed, HERE),
      }),
    'throws errors of its own': () =>
      ring(ours(), {
        decrypt: (sealed, place) =>
          ours()
            .decrypt(sealed, place)
            .catch(() => thrown('bad')),
      }),
    'rewraps always': () =>
      ring(ours(), {
        rewrap: async (sealed, place) => ours().encrypt(await ours().decrypt(sealed, place), place),
      }),
    'never rewraps': () => ring(ours(), { rewrap: async () => undefined }),
    'shows the secret in its error': () =>
      ring(ours(), {
        decrypt: (sealed, place) =>
          ours()
            .decrypt(sealed, place)
            .catch(() => {
              throw new SecretUnreadableError(place, 'correct horse battery staple');
            }),
      }),
  },
});

const example = (
  operand: unknown,
  matches: PresentValue[],
  differs: PresentValue[],
  matchesMissing = false,
): OperatorExample<unknown> => ({ operand, matches, differs, matchesMissing });

const EXAMPLES: Record<string, OperatorExample<unknown>> = {
  in: example(['a', 'b'], ['a'], ['c', 1]),
  not_in: example(['a'], ['c', 1], ['a'], true),
  eq: example(1, [1], ['1', true]),
  not_eq: example(1, ['1'], [1], true),
  starts_with: example('ab', ['abc'], ['xab', 1]),
  ends_with: example('bc', ['abc'], ['bcx']),
  exists: example(true, ['a', 0, false], []),
  gt: example(1, [2], [1, '2']),
  gte: example(1, [1], [0]),
  lt: example(1, [0], [1]),
  lte: example(1, [1], [2]),
};
const UNDER = example('Sales', ['Sales', 'Sales/EMEA'], ['Salesforce', 'HR', 1]);

const casesOfOperator = (operator: ConditionOperator): readonly ContractCase[] =>
  conditionOperatorContract(() => {
    const one = EXAMPLES[operator.name] ?? UNDER;
    return { operator, examples: [one], refused: [{ not: 'an operand' }] };
  });

const under = new UnderOperator();
const but = (change: Partial<ConditionOperator>): ConditionOperator => ({
  name: 'under',
  validateOperand: operand => under.validateOperand(operand),
  compile: operand => under.compile(String(operand)),
  matchesMissing: () => false,
  ...change,
});

holds<ConditionOperator>('ConditionOperator', {
  cases: casesOfOperator,
  kept: {
    'an operator of a host': () => but({}),
    ...Object.fromEntries(BUILT_IN_OPERATORS.map(operator => [`the built-in ${operator.name}`, () => operator])),
  },
  broken: {
    'has two words for a name': () => but({ name: 'is under' }),
    'accepts nothing': () => but({ validateOperand: () => 'must be something else' }),
    'accepts everything': () => but({ validateOperand: () => undefined }),
    'says nothing of a fault': () =>
      but({ validateOperand: operand => (typeof operand === 'string' ? undefined : '') }),
    'throws for an operand': () => but({ validateOperand: operand => (operand === null ? thrown('null') : undefined) }),
    'matches prefixes': () =>
      but({ compile: operand => value => JSON.stringify(value).startsWith(JSON.stringify(operand).slice(0, -1)) }),
    'throws for a value': () => but({ compile: () => value => (typeof value === 'object' ? thrown('object') : true) }),
    'matches who has nothing': () => but({ matchesMissing: () => true }),
    'has an index that says something else': () =>
      but({ index: () => ({ kind: 'values', values: ['Sales'], matches: true }) }),
  },
});
