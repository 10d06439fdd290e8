import { Injectable } from '@nestjs/common';
import { UserDirectory, type SqlTransaction } from '#core';

/** Time before a departure from which the person's usage is watched more closely. */
const BEFORE_DAYS = 90;
const DAY_MS = 86_400_000;

/** Whether a person was about to leave on the given day, or should already have left. */
export type IsLeaver = (userId: string, day: number) => boolean;

/** Determines which people will leave soon: by a departure date, or by a custom attribute. */
@Injectable()
export class Leavers {
  constructor(private readonly users: UserDirectory) {}

  /** Loads the directory into memory, so that {@link among} needs no second connection. */
  async load(orgId: string): Promise<void> {
    await this.users.find(orgId, []);
  }

  /** @param attribute name of the custom attribute; null if the organization uses none */
  async among(
    tx: SqlTransaction,
    orgId: string,
    userIds: readonly string[],
    attribute: string | null,
  ): Promise<IsLeaver> {
    const departures = await this.users.departuresWithin(tx, orgId, userIds);
    const references = userIds.map(user_id => ({ user_id }));
    const people = attribute === null ? [] : await this.users.find(orgId, references);
    const marked = new Set(people.filter(user => isMarked(user?.attributes, attribute)).map(user => user?.id));
    return (userId, day) => {
      if (marked.has(userId)) return true;
      const departsAt = departures.get(userId);
      return departsAt !== undefined && departsAt.getTime() <= (day + BEFORE_DAYS) * DAY_MS;
    };
  }
}

function isMarked(attributes: object | undefined, name: string | null): boolean {
  if (attributes === undefined || name === null || !Object.hasOwn(attributes, name)) return false;
  const mark: unknown = Reflect.get(attributes, name);
  return mark === true || mark === 'true';
}
