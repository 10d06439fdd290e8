import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { PRINCIPAL_KINDS, SCOPES, type HttpRequest, type Principal, type PrincipalResolver } from '#access';
import { becomes, casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A resolver under test, and requests for it. Created for each case. */
export interface PrincipalResolverGround extends Closable {
  readonly resolver: PrincipalResolver;
  /** A new request with a valid credential, always of the same principal. */
  readonly request: () => HttpRequest;
  /** Requests whose credential is not valid: forged, expired, or of a person who has left. */
  readonly refused: readonly HttpRequest[];
  /** The secret in the credential, such as the token or the session id. */
  readonly secret: string;
  /** Ends the credential: revokes the token or signs the person out. Omit it if the credential cannot be ended. */
  readonly end?: () => Promise<void> | void;
  /** Makes the store of credentials unreachable. Omit it if that is impossible. */
  readonly cutOff?: () => Promise<void> | void;
}

/** The port promises one second. The rest is for a busy machine. */
const PROMISE_MS = 1_500;
const MANY = 50;
const ODD_TEXTS = [
  ...['', ' ', 'Bearer', 'Bearer ', 'Basic Og==', 'Bearer a b', 'Bearer null', `Bearer ${'a'.repeat(10_000)}`],
  ...['__proto__=1', 'constructor', 'session', 'session=', '=', ';;', '\u0000', "' or 1=1"],
];

const RULES: Record<string, (ground: PrincipalResolverGround) => Promise<void>> = {
  async 'finds the principal of a valid credential, with all its fields'(ground) {
    const { orgId, kind, id, name, scopes, userId } = await principalOf(ground);
    ok(PRINCIPAL_KINDS.includes(kind), `kind ${kind}`);
    ok(orgId !== '' && id !== '' && name !== '', 'organization, id and name are given');
    notEqual(userId, '', 'a user has an id');
    const known: ReadonlySet<string> = new Set(SCOPES);
    ok(scopes.size > 0 && [...scopes].every(scope => known.has(scope)), `scopes ${[...scopes].join(' ')}`);
  },
  async 'returns null for a request without a credential'({ resolver }) {
    equal(await resolver.resolve({ headers: {} }), null);
  },
  async 'returns null for an invalid credential'({ resolver, refused }) {
    ok(refused.length > 0, 'the ground has a request that is refused');
    for (const request of refused) equal(await resolver.resolve(request), null);
  },
  async 'returns null for malformed credentials, and never throws'({ resolver }) {
    for (const text of ODD_TEXTS) {
      const request = { headers: { authorization: text, cookie: text, 'x-session': text } };
      equal(await resolver.resolve(request), null, text.slice(0, 40));
    }
  },
  async 'finds the same principal for a repeated request'(ground) {
    const request = ground.request();
    const first = await ground.resolver.resolve(request);
    deepEqual(await ground.resolver.resolve(request), first);
  },
  async 'does not change the headers of the request'({ resolver, request }) {
    const asked = request();
    const before = { ...asked.headers };
    await resolver.resolve(asked);
    deepEqual(asked.headers, before);
  },
  async 'does not mix up concurrent requests'({ resolver, request, refused }) {
    const asked = Array.from({ length: MANY }, (_, n) => (n % 2 === 0 ? request() : refused[n % refused.length]));
    const found = await Promise.all(asked.map(each => resolver.resolve(each ?? { headers: {} })));
    deepEqual(
      found.map(principal => principal !== null),
      asked.map((_, n) => n % 2 === 0),
    );
  },
  async 'does not show the secret in the principal'(ground) {
    const { scopes, ...rest } = await principalOf(ground);
    ok(!JSON.stringify({ ...rest, scopes: [...scopes] }).includes(ground.secret), 'the secret is not shown');
  },
  async 'returns null within a second after the end of the credential'(ground) {
    if (!ground.end) return;
    await principalOf(ground);
    await ground.end();
    await becomes(PROMISE_MS, async () => equal(await ground.resolver.resolve(ground.request()), null));
  },
  async 'throws or still knows the principal, and never returns null, while its source is unreachable'(ground) {
    if (!ground.cutOff) return;
    const { id } = await principalOf(ground);
    await ground.cutOff();
    const answer = await ground.resolver.resolve(ground.request()).catch(() => 'failed' as const);
    ok(answer === 'failed' || answer?.id === id, 'it failed, or still knew the principal');
  },
};

async function principalOf({ resolver, request }: PrincipalResolverGround): Promise<Principal> {
  const principal = await resolver.resolve(request());
  ok(principal, 'the request of the ground has a principal');
  return principal;
}

/**
 * The contract of `PrincipalResolver`: the cases that every resolver must pass. `makeGround` is called for each case.
 */
export function principalResolverContract(
  makeGround: () => Promise<PrincipalResolverGround> | PrincipalResolverGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
