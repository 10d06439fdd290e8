import { Injectable, Logger } from '@nestjs/common';
import { GovernanceError, messageOf, UnavailableError, within } from '#core';
import { OrgDatabase } from '#database';
import { TaskQueue } from '#outbox';
import type { ChatCommandAdapter, ChatPress } from '../chat-command-adapter.port.js';
import { ChatCommandRows } from './chat-command-rows.js';
import { SUSPENDED } from './chat-answer.js';
import type { KnownOwner } from './chat-owners.js';
import { ChatReplies } from './chat-replies.js';
import { chatTask } from './chat-task.js';
import { entryOf, type CommandOrigin } from './command-entry.js';

/** Maximum number of presses that one process stores at a time. Presses pile up here while the database is slow. */
const UNDER_WAY_MAX = 200;

class LateError extends Error {}

/**
 * Accepts pressed buttons. All replicas together accept a press once. A worker runs the command of the button as the
 * person who has pressed it, and answers through the reply URL.
 */
@Injectable()
export class ChatPresses {
  private readonly logger = new Logger('Governance');
  private underWay = 0;

  constructor(
    private readonly database: OrgDatabase,
    private readonly rows: ChatCommandRows,
    private readonly tasks: TaskQueue,
    private readonly replies: ChatReplies,
  ) {}

  /**
   * Stores a press once its organization is found. If the database is slow, returns in time, and stores the press as
   * soon as the database answers.
   * @param findOwner authenticates the press and finds its organization
   * @throws ChatSignatureError if authentication fails before the deadline
   */
  async take(
    adapter: ChatCommandAdapter,
    press: ChatPress,
    findOwner: () => Promise<KnownOwner>,
    origin: CommandOrigin,
  ): Promise<void> {
    if (this.underWay >= UNDER_WAY_MAX) throw new UnavailableError('Too many pressed buttons wait; press again.');
    const storing = this.store(adapter, press, findOwner, origin);
    try {
      await within(this.replies.answerMs, storing, () => new LateError());
    } catch (error) {
      if (!(error instanceof LateError)) throw error;
      storing.catch((late: unknown) => {
        if (late instanceof GovernanceError) return;
        this.logger.warn(`A pressed button could not be stored: ${messageOf(late)}`);
      });
    }
  }

  private async store(
    adapter: ChatCommandAdapter,
    press: ChatPress,
    findOwner: () => Promise<KnownOwner>,
    origin: CommandOrigin,
  ): Promise<void> {
    this.underWay += 1;
    try {
      const { orgId, isSuspended } = await findOwner();
      const replyUrl = this.replies.mayReply(adapter, press.replyUrl) ? press.replyUrl : '';
      const now = this.replies.now();
      const entry = entryOf(adapter, { ...press, replyUrl }, { orgId, now, origin });
      await this.database.transaction(orgId, async em => {
        if (!(await this.rows.enter(em, entry, now))) return;
        if (isSuspended) await this.rows.markOwed(em, orgId, entry.id, { reply: SUSPENDED, ticketId: null });
        await this.tasks.schedule(em, orgId, chatTask(orgId, entry.id), 0);
      });
    } finally {
      this.underWay -= 1;
    }
  }
}
