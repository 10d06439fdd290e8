import { randomUUID } from 'node:crypto';
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { SpendGuard, SpendRequest, SpendReservation, SpendVerdict, SqlTransaction } from '#core';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A guard under test, with functions that set its limits. Created for each case, without reservations. */
export interface SpendGuardGround extends Closable {
  readonly guard: SpendGuard;
  readonly orgId: string;
  /** Another organization. Default: one that is unknown to the guard. */
  readonly otherOrgId?: string;
  /** A new request to which a limit applies. All requests cost the same. */
  readonly request: () => SpendRequest;
  /** A new request to which no limit applies. */
  readonly unguarded: () => SpendRequest;
  /** Sets a limit with room for this number of requests. Called once per case. */
  limit(requests: number): Promise<void>;
  /**
   * Runs work in a transaction of the organization: commits, or rolls back if the work fails. Omit it to skip these
   * cases.
   */
  readonly transaction?: <T>(work: (tx: SqlTransaction) => Promise<T>) => Promise<T>;
  /** Makes the guard's store of limits unreachable. Omit it if that is impossible. */
  readonly cutOff?: () => Promise<void> | void;
}

const RULES: Record<string, (ground: SpendGuardGround) => Promise<void>> = {
  async 'returns undefined if no limit applies to the request'(ground) {
    await ground.limit(1);
    equal(await ground.guard.reserve(ground.orgId, ground.unguarded()), undefined);
  },
  async 'reserves under the id of the decision, until a time after it'(ground) {
    await ground.limit(1);
    const request = ground.request();
    const { id, picodollars, expiresAt } = await reserved(ground, request);
    equal(id, request.decisionId);
    ok(picodollars > 0n, 'a request costs something');
    ok(expiresAt.getTime() > request.at.getTime(), 'the reservation expires after the decision');
  },
  async 'refuses a request that exceeds limits, and names them'(ground) {
    await ground.limit(2);
    for (let n = 0; n < 2; n++) await reserved(ground);
    const verdict = await ask(ground);
    ok(verdict && !verdict.allowed, 'the third of two is refused');
    ok(verdict.budgets.length > 0, 'a limit is named');
    for (const { id, name } of verdict.budgets) ok(id !== '' && name !== '', 'a limit has an id and a name');
  },
  async 'never exceeds a limit with concurrent requests'(ground) {
    await ground.limit(5);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => ask(ground)));
    equal(verdicts.filter(verdict => verdict?.allowed).length, 5);
  },
  async 'releases the whole reservation of a decision, so that the amount is available again'(ground) {
    await ground.limit(1);
    const { id, picodollars } = await reserved(ground);
    equal((await ask(ground))?.allowed, false);
    equal(await ground.guard.release(ground.orgId, id), picodollars);
    await reserved(ground);
  },
  async 'releases a reservation once'(ground) {
    await ground.limit(2);
    const { id } = await reserved(ground);
    await reserved(ground);
    const released = await Promise.all(Array.from({ length: 5 }, () => ground.guard.release(ground.orgId, id)));
    equal(released.filter(each => each > 0n).length, 1);
    await reserved(ground);
    equal((await ask(ground))?.allowed, false);
  },
  async 'releases nothing for a decision without a reservation'(ground) {
    await ground.limit(1);
    equal(await ground.guard.release(ground.orgId, randomUUID()), 0n);
    await reserved(ground);
    const refused = ground.request();
    equal((await ground.guard.reserve(ground.orgId, refused))?.allowed, false);
    equal(await ground.guard.release(ground.orgId, refused.decisionId), 0n);
  },
  async 'releases no reservation of another organization'(ground) {
    await ground.limit(1);
    const { id, picodollars } = await reserved(ground);
    equal(await ground.guard.release(ground.otherOrgId ?? randomUUID(), id), 0n);
    equal(await ground.guard.release(ground.orgId, id), picodollars);
  },
  async 'keeps the reservations of a transaction that commits'(ground) {
    if (!ground.transaction) return;
    await ground.limit(1);
    const request = ground.request();
    const verdict = await ground.transaction(tx => ground.guard.reserveWithin(tx, ground.orgId, request));
    ok(verdict?.allowed, 'the transaction reserves');
    equal((await ask(ground))?.allowed, false);
    equal(await ground.guard.release(ground.orgId, request.decisionId), verdict.reservation.picodollars);
  },
  async 'keeps no reservation of a transaction that rolls back'(ground) {
    const { transaction, guard, orgId } = ground;
    if (!transaction) return;
    await ground.limit(1);
    const request = ground.request();
    const seen: (SpendVerdict | undefined)[] = [];
    const work = async (tx: SqlTransaction): Promise<never> => {
      seen.push(await guard.reserveWithin(tx, orgId, request));
      throw new Error('rolled back');
    };
    await rejects(transaction(work), /rolled back/);
    deepEqual(
      seen.map(verdict => verdict?.allowed),
      [true],
    );
    equal(await guard.release(orgId, request.decisionId), 0n);
    await reserved(ground);
  },
  async 'returns undefined in a transaction if no limit applies to the request'(ground) {
    if (!ground.transaction) return;
    await ground.limit(1);
    const verdict = await ground.transaction(tx => ground.guard.reserveWithin(tx, ground.orgId, ground.unguarded()));
    equal(verdict, undefined);
  },
  async 'throws, and allows nothing, while its source is unreachable'(ground) {
    if (!ground.cutOff) return;
    await ground.limit(1);
    await ground.cutOff();
    await rejects(ask(ground));
  },
};

async function ask({ guard, orgId, request }: SpendGuardGround): Promise<SpendVerdict | undefined> {
  return guard.reserve(orgId, request());
}

async function reserved(ground: SpendGuardGround, request = ground.request()): Promise<SpendReservation> {
  const verdict = await ground.guard.reserve(ground.orgId, request);
  ok(verdict?.allowed, 'the request has room');
  return verdict.reservation;
}

/** The contract of `SpendGuard`: the cases that every guard must pass. `makeGround` is called for each case. */
export function spendGuardContract(
  makeGround: () => Promise<SpendGuardGround> | SpendGuardGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
