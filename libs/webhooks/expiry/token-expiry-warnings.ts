import { Injectable } from '@nestjs/common';
import { TokenWarnings, type ExpiringToken } from '#access';
import { OrgDatabase } from '#database';
import { EventOutbox, type NewEvent } from '#outbox';
import { Scheduler } from '#scheduler';

/**
 * Sends `token_expiring` before access tokens expire. Every replica runs this job each minute. Each warning is sent
 * only once.
 */
@Injectable()
export class TokenExpiryWarnings {
  /** Sends all warnings that are due. Returns their number. */
  readonly send: () => Promise<number>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly warnings: TokenWarnings,
    private readonly outbox: EventOutbox,
    scheduler: Scheduler,
  ) {
    this.send = scheduler.add({
      name: 'token-expiry-warnings',
      pattern: '25 * * * * *',
      isDueAtStart: true,
      failure: 'Warnings of expiring access tokens could not be sent',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    let sent = 0;
    for (const orgId of await this.warnings.organizations()) sent += await this.sendOf(orgId);
    return sent;
  }

  private sendOf(orgId: string): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const tokens = await this.warnings.take(em, orgId);
      if (tokens.length > 0) await this.outbox.fire(em, orgId, tokens.map(warningOf));
      return tokens.length;
    });
  }
}

function warningOf(token: ExpiringToken): NewEvent<'token_expiring'> {
  const { id, name, role, userId, project, expiresAt, daysLeft, lastUsedAt } = token;
  return {
    type: 'token_expiring',
    data: {
      token_id: id,
      name,
      role,
      user_id: userId,
      project,
      expires_at: expiresAt.toISOString(),
      days_left: daysLeft,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    },
  };
}
