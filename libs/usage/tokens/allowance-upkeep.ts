import { Injectable, type OnModuleInit } from '@nestjs/common';
import { operatorActor, TokenAllowances } from '#access';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { EndedAllowances } from './ended-allowances.js';

const ORGANIZATIONS = `select id from ${SCHEMA}.organization_ids() as id order by id`;

/**
 * Deletes budgets and limits whose scope is an access token that has ended: at once when a token is revoked through the
 * API. Each hour for tokens that have expired, or whose person has left.
 */
@Injectable()
export class AllowanceUpkeep implements OnModuleInit {
  /** Deletes such budgets and limits in all organizations. Returns their number. */
  readonly run: () => Promise<number>;

  constructor(
    private readonly allowances: TokenAllowances,
    private readonly ended: EndedAllowances,
    database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    this.run = scheduler.add({
      name: 'ended-allowances',
      pattern: '20 41 * * * *',
      failure: 'Budgets and limits of ended access tokens could not be deleted',
      round: async () => {
        let sum = 0;
        for (const { id } of await database.global<{ id: string }>(ORGANIZATIONS)) {
          sum += await ended.delete(operatorActor(id, 'end of access tokens'));
        }
        return sum;
      },
    });
  }

  onModuleInit(): void {
    this.allowances.useEnd(async actor => {
      await this.ended.delete(actor);
    });
  }
}
