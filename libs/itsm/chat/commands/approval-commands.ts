import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { ConflictError, isUuid } from '#core';
import { OrgDatabase } from '#database';
import { ApprovalRelay, type RelayedApproval } from '#incidents';
import { ChatMistake, needs, type ChatAnswer } from './chat-answer.js';
import { approvalState, word } from './incident-text.js';

/** Chat commands for approval requests. They need the same scopes as the API. */
@Injectable()
export class ApprovalCommands {
  constructor(
    private readonly database: OrgDatabase,
    private readonly approvals: ApprovalRelay,
  ) {}

  /** Decides a request as the actor. If the request is not pending any more, answers with the reason. */
  async decide(actor: Actor, id: string, verb: 'approve' | 'deny'): Promise<ChatAnswer> {
    needs(actor, 'approvals:write');
    if (!isUuid(id)) throw new ChatMistake('Name the request by its whole id.');
    try {
      const { person, provider, model } = await this.approvals.decide(actor, id, verb);
      const done = verb === 'approve' ? 'approved' : 'denied';
      return { text: `You ${done} the request of ${word(person)} for ${word(`${provider}/${model}`)}.` };
    } catch (error) {
      const decided = error instanceof ConflictError ? await this.decided(actor.orgId, id) : undefined;
      if (!decided) throw error;
      return { text: overText(decided) };
    }
  }

  private async decided(orgId: string, id: string): Promise<RelayedApproval | undefined> {
    const found = await this.database.transaction(orgId, em => this.approvals.find(em, orgId, [id]));
    return found.find(({ status }) => status !== 'pending');
  }
}

/** The reason why a request cannot be decided any more. */
function overText(approval: RelayedApproval): string {
  const { status, decidedBy } = approval;
  if (status !== 'expired') return `This request is already decided: ${approvalState(approval)}.`;
  if (decidedBy !== null) return `This request was approved by ${word(decidedBy)}, and the approval has expired.`;
  return 'This request expired before anybody decided it; the next refused decision opens a new one.';
}
