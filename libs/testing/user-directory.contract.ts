import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DirectoryUser, SqlTransaction, UserDirectory, UserReference, UserStatus } from '#core';
import { becomes, casesOf, type ContractCase } from './contract-case.js';

/** Data of a person as the contract sets it. The source of the directory assigns the id. */
export type ContractPerson = Omit<DirectoryUser, 'id'>;

/** A directory under test, with functions that change its source. Created for each case. */
export interface UserDirectoryGround {
  directory: UserDirectory;
  /** An organization that the directory knows. */
  orgId: string;
  /** Another organization. Omit it if the directory knows only one. */
  otherOrgId?: string;
  /** The statuses that the source can distinguish. Default: all three statuses. */
  statuses?: readonly UserStatus[];
  /**
   * Role and attributes that all people have, if the source cannot store them: `{ role: 'member', attributes: {} }`.
   * Omit it if the source stores the role and attributes that `create` and `change` set.
   */
  everybody?: Partial<Pick<DirectoryUser, 'role' | 'attributes'>>;
  /** Adds a person to the source; returns the id. */
  create(orgId: string, person: ContractPerson): Promise<string>;
  /** Replaces all data of a person in the source. The directory may take up to a second to return the new data. */
  change(orgId: string, id: string, person: ContractPerson): Promise<void>;
  /** Access to the times of last activity, if the directory stores them. */
  activity?: {
    /** Runs work in a transaction, as when usage is stored, and commits the transaction. */
    transaction(orgId: string, work: (tx: SqlTransaction) => Promise<void>): Promise<void>;
    lastSeen(orgId: string, userId: string): Promise<Date | null>;
  };
  /** Makes the source unreachable. Omit it if that is impossible. */
  cutOff?(): Promise<void>;
  /** Called after each case. */
  close?(): Promise<void>;
}

type Rule = (ground: UserDirectoryGround) => Promise<void>;

/** Time within which the contract requires a change to take effect on every process. */
const PROMISE_MS = 1_000;
const MANY = 200;

/** A transaction for directories that do not store times of activity. It rejects every statement. */
const NO_TRANSACTION: SqlTransaction = {
  query: async () => {
    throw new Error('give `activity` in the ground of the contract: this directory writes times of activity');
  },
};

const RULES: Record<string, Rule> = {
  'finds a person by id, with all fields that decisions use': async ground => {
    const attributes = { level: 7, teams: ['red', 'blue'], remote: true };
    const ada = await add(ground, { name: 'Ada Example', department: 'Engineering', attributes });
    const bob = await add(ground, { name: 'Bob Example', department: 'Sales', role: 'contractor' });
    for (const person of [ada, bob]) {
      const found = await one(ground, { user_id: person.id });
      equal(found?.email.toLowerCase(), person.email.toLowerCase());
      deepEqual(known(found), known({ ...person, ...ground.everybody }));
    }
  },
  'finds a person by id in any case': async ground => {
    const ada = await add(ground);
    equal((await one(ground, { user_id: ada.id.toUpperCase() }))?.id, ada.id);
  },
  'finds a person by e-mail address without case': async ground => {
    const ada = await add(ground, { email: `Ada.${randomUUID()}@Example.com` });
    for (const user_email of [ada.email, ada.email.toUpperCase(), ada.email.toLowerCase()]) {
      equal((await one(ground, { user_email }))?.id, ada.id, user_email);
    }
  },
  'uses the id if both id and address are given': async ground => {
    const [ada, bob] = [await add(ground), await add(ground)];
    equal((await one(ground, { user_id: ada.id, user_email: bob.email }))?.id, ada.id);
    equal(await one(ground, { user_id: randomUUID(), user_email: bob.email }), undefined);
  },
  'answers in the order of the references, with undefined for an unknown person': async ground => {
    const [ada, bob] = [await add(ground), await add(ground)];
    const references = [
      { user_id: bob.id },
      { user_id: randomUUID() },
      { user_email: ada.email },
      {},
      { user_id: bob.id },
    ];
    const found = await ground.directory.find(ground.orgId, references);
    deepEqual(
      found.map(user => user?.id),
      [bob.id, undefined, ada.id, undefined, bob.id],
    );
    deepEqual(await ground.directory.find(ground.orgId, []), []);
  },
  'returns undefined for references that match no person, and does not throw': async ground => {
    await add(ground);
    for (const text of ['', ' ', 'nobody', "o'hara@example.com", 'a'.repeat(1_000), '%', '__proto__', 'constructor']) {
      equal(await one(ground, { user_id: text }), undefined, `user_id ${text}`);
      equal(await one(ground, { user_email: text }), undefined, `user_email ${text}`);
    }
  },
  'returns whether a person is active, inactive or suspended': async ground => {
    for (const status of ground.statuses ?? (['active', 'inactive', 'suspended'] as const)) {
      const person = await add(ground, { status });
      equal((await one(ground, { user_id: person.id }))?.status, status);
    }
  },
  'returns null as the department of a person without one': async ground => {
    const ada = await add(ground, { department: null });
    equal((await one(ground, { user_id: ada.id }))?.department, null);
  },
  'reports within a second that a person is suspended, and that the suspension has ended': async ground => {
    const ada = await add(ground);
    for (const status of ['suspended', 'active'] as const) {
      await ground.change(ground.orgId, ada.id, { ...ada, status });
      await becomes(PROMISE_MS, async () => equal((await one(ground, { user_id: ada.id }))?.status, status));
    }
  },
  'reports a change of the department within a second': async ground => {
    const ada = await add(ground, { department: 'Sales' });
    await ground.change(ground.orgId, ada.id, { ...ada, department: 'Finance' });
    await becomes(PROMISE_MS, async () => equal((await one(ground, { user_email: ada.email }))?.department, 'Finance'));
  },
  'reports changes of the role and the attributes within a second': async ground => {
    const ada = await add(ground, { role: 'member', attributes: { level: 7, remote: true } });
    const changed = { ...ada, role: 'contractor', attributes: { level: 8 } };
    await ground.change(ground.orgId, ada.id, changed);
    const expected = known({ ...changed, ...ground.everybody });
    await becomes(PROMISE_MS, async () => deepEqual(known(await one(ground, { user_id: ada.id })), expected));
  },
  'finds a person by the new e-mail address only, within a second': async ground => {
    const ada = await add(ground);
    const email = `renamed.${ada.email}`;
    await ground.change(ground.orgId, ada.id, { ...ada, email });
    await becomes(PROMISE_MS, async () => {
      equal((await one(ground, { user_email: email }))?.id, ada.id);
      equal(await one(ground, { user_email: ada.email }), undefined);
    });
  },
  'keeps organizations apart': async ground => {
    const ada = await add(ground);
    const elsewhere = ground.otherOrgId ?? randomUUID();
    const references = [{ user_id: ada.id }, { user_email: ada.email }];
    deepEqual(await ground.directory.find(elsewhere, references), [undefined, undefined]);
    equal((await ground.directory.emails(elsewhere, [ada.id])).size, 0);
  },
  'returns the e-mail addresses of ids, without unknown ids': async ground => {
    const [ada, bob] = [await add(ground), await add(ground)];
    const emails = await ground.directory.emails(ground.orgId, [ada.id, randomUUID(), bob.id, 'nobody']);
    deepEqual(emails, new Map([ada, bob].map(({ id, email }) => [id, email])));
    equal((await ground.directory.emails(ground.orgId, [])).size, 0);
  },
  'answers concurrent calls correctly': async ground => {
    const people = [await add(ground), await add(ground), await add(ground)];
    const asked = Array.from({ length: MANY }, (_, n) => people[n % people.length]);
    const found = await Promise.all(asked.map(person => one(ground, { user_id: person?.id })));
    deepEqual(
      found.map(user => user?.id),
      asked.map(person => person?.id),
    );
  },
  'accepts times of activity in any order, also of unknown people, and keeps the latest': async ground => {
    const ada = await add(ground);
    const [early, late] = [new Date('2026-11-19T10:00:00Z'), new Date('2026-11-20T10:00:00Z')];
    const run = (orgId: string, work: (tx: SqlTransaction) => Promise<void>): Promise<void> =>
      ground.activity ? ground.activity.transaction(orgId, work) : work(NO_TRANSACTION);
    for (const at of [late, early]) {
      await run(ground.orgId, tx =>
        ground.directory.recordActivity(
          tx,
          ground.orgId,
          new Map([
            [ada.id, at],
            [randomUUID(), at],
          ]),
        ),
      );
    }
    await run(ground.orgId, tx => ground.directory.recordActivity(tx, ground.orgId, new Map()));
    if (ground.activity) deepEqual(await ground.activity.lastSeen(ground.orgId, ada.id), late);
  },
  'throws or still knows the person, and never returns undefined, while its source is unreachable': async ground => {
    if (!ground.cutOff) return;
    const ada = await add(ground);
    await ground.cutOff();
    for (const ask of [one(ground, { user_id: ada.id }), one(ground, { user_email: ada.email })]) {
      const answer = await ask.catch(() => 'failed' as const);
      ok(answer === 'failed' || answer?.id === ada.id, 'it failed, or still knew the person');
    }
    const emails = await ground.directory.emails(ground.orgId, [ada.id]).catch(() => 'failed' as const);
    ok(emails === 'failed' || emails.get(ada.id) === ada.email, 'it failed, or still knew the address');
  },
};

/**
 * The contract of `UserDirectory`, for hosts with their own people: the cases that every directory must pass.
 * `makeGround` is called for each case.
 */
export function userDirectoryContract(
  makeGround: () => Promise<UserDirectoryGround> | UserDirectoryGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}

async function one(ground: UserDirectoryGround, reference: UserReference): Promise<DirectoryUser | undefined> {
  const [found] = await ground.directory.find(ground.orgId, [reference]);
  return found;
}

/**
 * The data of a person that decisions use, with attributes as plain JSON. The address is omitted, because its case may
 * differ.
 */
function known(user: DirectoryUser | undefined): unknown {
  if (!user) return undefined;
  const { id, name, department, role, status, attributes } = user;
  const plain: unknown = JSON.parse(JSON.stringify(attributes));
  return { id, name, department, role, status, attributes: plain };
}

/** Creates a person, and waits until the directory returns that person. */
async function add(ground: UserDirectoryGround, fields: Partial<ContractPerson> = {}): Promise<DirectoryUser> {
  const person: ContractPerson = {
    ...{ email: `ada.${randomUUID()}@example.com`, name: 'Ada', department: 'Sales', role: 'member' },
    ...{ status: 'active', attributes: {} },
    ...fields,
  };
  const id = await ground.create(ground.orgId, person);
  await becomes(PROMISE_MS, async () => equal((await one(ground, { user_id: id }))?.id, id, 'a new person is found'));
  return { ...person, id };
}
