import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, messageOf, newId, within } from '#core';
import { OrgDatabase } from '#database';
import { TaskQueue } from '#outbox';
import type { ChatCommand, ChatCommandAdapter } from '../chat-command-adapter.port.js';
import type { ChatAnswer } from './chat-answer.js';
import { ChatCommandRows, type NewChatCommand } from './chat-command-rows.js';
import type { ChatOwner } from './chat-owners.js';
import { chatTask } from './chat-task.js';
import { CommandRunner } from './command-runner.js';

/** Slack times out after three seconds, including the network latency. */
const PATIENCE_MS = 2_000;
/** Delay in milliseconds after which a worker takes over an unanswered command. */
const TAKE_UP_MS = 15_000;

const LATE = 'This takes longer than usual; the answer follows.';
const LOST = 'This took too long; try again.';
const REPEATED = 'This command was already received.';

/** Metadata of the request of a command. */
export interface CommandOrigin {
  readonly address: string | null;
  readonly requestId: string | null;
}

/**
 * Accepts commands: each once across replicas, with an answer in time. Longer commands are answered later, even if
 * this process ends meanwhile.
 */
@Injectable()
export class ChatCommands {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly database: OrgDatabase,
    private readonly rows: ChatCommandRows,
    private readonly tasks: TaskQueue,
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  /** Runs an authenticated command. Returns the immediate answer. */
  async take(
    adapter: ChatCommandAdapter,
    command: ChatCommand,
    { orgId }: ChatOwner,
    origin: CommandOrigin,
  ): Promise<string> {
    if (command.name !== this.runner.command) {
      return `This URL handles the command ${this.runner.command}; set up the command with that name.`;
    }
    const now = this.clock.now();
    const { workspace, account, text } = command;
    const replyUrl = adapter.isReplyUrl(command.replyUrl) ? command.replyUrl : '';
    const entry: NewChatCommand = {
      ...{ orgId, id: newId(now), platform: adapter.kind, workspace, account, text: storable(text), replyUrl },
      ...{ ...origin, requestHash: hashOf(command) },
    };
    const isFirst = await this.database.transaction(orgId, async em => {
      if (!(await this.rows.enter(em, entry, now))) return false;
      if (replyUrl !== '') await this.tasks.schedule(em, orgId, chatTask(orgId, entry.id), TAKE_UP_MS);
      return true;
    });
    return isFirst ? this.answer(entry) : REPEATED;
  }

  private async answer(entry: NewChatCommand): Promise<string> {
    const running = this.runner.run(entry, entry.text, entry);
    try {
      const answer = await within(PATIENCE_MS, running);
      await this.settle(entry, { reply: null, ticketId: answer.ticketId ?? null });
      return answer.text;
    } catch {
      running
        .then(answer => this.settle(entry, { reply: answer.text, ticketId: answer.ticketId ?? null }))
        // The scheduled task takes over.
        .catch(error => this.logger.warn(`A delayed chat answer could not be stored: ${messageOf(error)}`));
      return entry.replyUrl === '' ? LOST : LATE;
    }
  }

  /** Stores the pending answer. If it waits for a ticket, the answer is the outcome of that ticket. */
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

function hashOf({ requestId, workspace }: ChatCommand): Buffer {
  return createHash('sha256').update(`${workspace} ${requestId}`).digest();
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
