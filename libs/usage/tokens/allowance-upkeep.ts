import { Injectable, type OnModuleInit } from '@nestjs/common';
import { operatorActor, TokenAllowances } from '#access';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { EndedAllowances } from './ended-allowances.js';

const ORGANIZATIONS = `select id from ${SCHEMA}.organization_ids() as id order by id`;

/**
 * Ends budgets and limits with their access tokens: at once when a token is revoked through the API, and each hour for
 * tokens that have expired or ended with a person.
 */
@Injectable()
export class AllowanceUpkeep implements OnModuleInit {
  /** Ends the allowances of such tokens in all organizations; returns their number. */
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
