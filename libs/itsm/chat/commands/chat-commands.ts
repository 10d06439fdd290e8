import { Injectable, Logger } from '@nestjs/common';
import { GovernanceError, messageOf, within } from '#core';
import { OrgDatabase } from '#database';
import { TaskQueue } from '#outbox';
import type { ChatCommand, ChatCommandAdapter } from '../chat-command-adapter.port.js';
import { SUSPENDED, type ChatAnswer } from './chat-answer.js';
import { ChatCommandRows, type NewChatCommand } from './chat-command-rows.js';
import type { KnownOwner } from './chat-owners.js';
import { ChatReplies } from './chat-replies.js';
import { chatTask } from './chat-task.js';
import { entryOf, type CommandOrigin } from './command-entry.js';
import { CommandRunner } from './command-runner.js';

/** Milliseconds after which a worker takes over a command that has no answer yet. */
const TAKE_UP_MS = 15_000;
/** Maximum number of commands that one process accepts at a time. Commands pile up here while the database is slow. */
const UNDER_WAY_MAX = 200;

const LATE = 'This takes longer than usual; the answer follows.';
const LOST = 'This took too long; try again.';
const BUSY = 'The service is busy; try again in a minute.';
const REPEATED = 'This command was already received.';

/** The result of a command, before it is recorded whether the author has received it. */
interface Finished {
  readonly answer: ChatAnswer;
  /** Missing if the command was not accepted. */
  readonly entry?: NewChatCommand;
}

class LateError extends Error {}

/**
 * Accepts commands. All replicas together accept a command once, and answer it in time. A command that takes longer is
 * answered later, even if this process ends meanwhile. If the database is slow, the immediate answer is that the result
 * follows. The command is accepted as soon as the database answers.
 */
@Injectable()
export class ChatCommands {
  private readonly logger = new Logger('Governance');
  private underWay = 0;

  constructor(
    private readonly database: OrgDatabase,
    private readonly rows: ChatCommandRows,
    private readonly tasks: TaskQueue,
    private readonly runner: CommandRunner,
    private readonly replies: ChatReplies,
  ) {}

  /**
   * Runs a command once its organization is found. Returns the immediate answer.
   * @param findOwner authenticates the command and finds its organization
   * @throws ChatSignatureError if authentication fails before the deadline
   */
  async take(
    adapter: ChatCommandAdapter,
    command: ChatCommand,
    findOwner: () => Promise<KnownOwner>,
    origin: CommandOrigin,
  ): Promise<string> {
    if (this.underWay >= UNDER_WAY_MAX) return BUSY;
    const replyUrl = this.replies.mayReply(adapter, command.replyUrl) ? command.replyUrl : '';
    const running = this.run(adapter, { ...command, replyUrl }, findOwner, origin);
    try {
      const { answer, entry } = await within(this.replies.answerMs, running, () => new LateError());
      if (entry) await this.noteAnswered(entry, answer);
      return answer.text;
    } catch (error) {
      if (!(error instanceof LateError)) throw error;
      void this.answerLater(running);
      return replyUrl === '' ? LOST : LATE;
    }
  }

  private async run(
    adapter: ChatCommandAdapter,
    command: ChatCommand,
    findOwner: () => Promise<KnownOwner>,
    origin: CommandOrigin,
  ): Promise<Finished> {
    this.underWay += 1;
    try {
      const { orgId, isSuspended } = await findOwner();
      if (isSuspended) return { answer: { text: SUSPENDED } };
      if (command.name !== this.runner.command) {
        const text = `This URL handles the command ${this.runner.command}; set up the command with that name.`;
        return { answer: { text } };
      }
      const entry = entryOf(adapter, command, { orgId, now: this.replies.now(), origin });
      if (!(await this.enter(entry))) return { answer: { text: REPEATED } };
      return { answer: await this.runner.run(entry, entry.text, entry), entry };
    } finally {
      this.underWay -= 1;
    }
  }

  /** Stores the command, with the task that answers it if this process ends. Returns false for a repeated request. */
  private async enter(entry: NewChatCommand): Promise<boolean> {
    const { orgId, id, replyUrl } = entry;
    return this.database.transaction(orgId, async em => {
      if (!(await this.rows.enter(em, entry, this.replies.now()))) return false;
      if (replyUrl !== '') await this.tasks.schedule(em, orgId, chatTask(orgId, id), TAKE_UP_MS);
      return true;
    });
  }

  private async noteAnswered(entry: NewChatCommand, { ticketId }: ChatAnswer): Promise<void> {
    const noting = this.settle(entry, { reply: null, ticketId: ticketId ?? null });
    // If this write fails, the scheduled task sends the answer again.
    await within(this.replies.noteMs, noting).catch(error => this.warn('noted', error));
  }

  private async answerLater(running: Promise<Finished>): Promise<void> {
    try {
      const { answer, entry } = await running;
      if (entry) await this.settle(entry, { reply: answer.text, ticketId: answer.ticketId ?? null });
    } catch (error) {
      // The scheduled task takes over the command, unless the command was not accepted.
      if (!(error instanceof GovernanceError)) this.warn('stored', error);
    }
  }

  private warn(what: 'noted' | 'stored', error: unknown): void {
    this.logger.warn(`A delayed chat answer could not be ${what}: ${messageOf(error)}`);
  }

  /** Stores the pending answer. If the answer waits for a ticket, it will be the outcome of that ticket. */
  private async settle(
    { orgId, id, replyUrl }: NewChatCommand,
    { reply, ticketId }: { reply: string | null; ticketId: ChatAnswer['ticketId'] | null },
  ): Promise<void> {
    await this.database.transaction(orgId, async em => {
      if ((reply === null && !ticketId) || replyUrl === '') return this.rows.markAnswered(em, orgId, id);
      await this.rows.markOwed(em, orgId, id, { reply: ticketId ? null : reply, ticketId: ticketId ?? null });
      await this.tasks.schedule(em, orgId, chatTask(orgId, id), 0);
    });
  }
}
