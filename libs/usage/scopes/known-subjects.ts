import { Injectable } from '@nestjs/common';
import { AccessToken } from '#access';
import { BadRequestError, UserDirectory } from '#core';
import { OrgDatabase } from '#database';
import type { ScopeMatch } from './scope-match.js';
import { NO_PART, type ScopeSplit } from './split.js';

/** The user and the conditions of a scope. */
interface Named {
  readonly userId?: string | null | undefined;
  readonly match?: ScopeMatch | null | undefined;
}

/** Refuses ids of users and access tokens that the organization does not have. */
@Injectable()
export class KnownSubjects {
  constructor(
    private readonly users: UserDirectory,
    private readonly database: OrgDatabase,
  ) {}

  /**
   * Checks the user and the token of a scope.
   * @throws BadRequestError naming the field: `scope` for a condition, otherwise `user_id`
   */
  async requireScope(orgId: string, { userId, match }: Named): Promise<void> {
    if (userId) await this.requireUser(orgId, userId, 'user_id');
    if (match?.['user_id'] !== undefined) await this.requireUser(orgId, match['user_id'], 'scope');
    if (match?.['token'] !== undefined) await this.requireToken(orgId, match['token'], 'scope');
  }

  /**
   * Checks the part of a split, if it is a user or a token.
   * @throws BadRequestError naming the field `part`
   */
  async requirePart(orgId: string, split: ScopeSplit | null, part: string): Promise<void> {
    if (part === NO_PART) return;
    if (split === 'user') await this.requireUser(orgId, part, 'part');
    if (split === 'token') await this.requireToken(orgId, part, 'part');
  }

  private async requireUser(orgId: string, id: string, field: string): Promise<void> {
    const [user] = await this.users.find(orgId, [{ user_id: id }]);
    if (!user) throw BadRequestError.field(field, 'is not the id of a user of your organization');
  }

  private async requireToken(orgId: string, id: string, field: string): Promise<void> {
    const count = await this.database.snapshot(orgId, em => em.count(AccessToken, { orgId, id: id.toLowerCase() }));
    if (count === 0) throw BadRequestError.field(field, 'is not the id of an access token of your organization');
  }
}
