import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { JobHandler, OutboxWorker, type Outcome, type Settled, type Task } from '#outbox';
import { ChatReplies } from './chat-replies.js';
import { ChatCommandRows, type OwedCommand } from './chat-command-rows.js';
import { CHAT_QUEUE } from './chat-task.js';
import { CommandRunner } from './command-runner.js';
import { TicketOutcomes } from './ticket-outcomes.js';

const RETRY_MS = [1_000, 5_000, 30_000, 120_000];
const LOOK_MS = 2_000;

/** The result of a run. Null if the command was answered, otherwise the pending answer. */
type Owed = { readonly reply: string | null; readonly ticketId: string | null } | null;

/**
 * Sends delayed answers. Runs commands whose process ended before it could answer. If this process ends right after it
 * has sent an answer, the answer is sent a second time.
 */
@Injectable()
export class ChatReplyJob extends JobHandler<OwedCommand, Owed> implements OnModuleInit {
  readonly name = CHAT_QUEUE;
  override readonly slots = 8;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly rows: ChatCommandRows,
    private readonly runner: CommandRunner,
    private readonly outcomes: TicketOutcomes,
    private readonly replies: ChatReplies,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, OwedCommand>> {
    const ids = tasks.map(({ id }) => id);
    return new Map((await this.rows.owed(em, orgId, ids)).map(command => [command.id, command]));
  }

  async perform(task: Task, command: OwedCommand): Promise<Outcome<Owed>> {
    const { orgId } = task;
    const { ticketId } = command;
    if (this.replies.isTooLate(command)) return { againAfterMs: null, answered: true, result: null };
    if (command.reply === null && ticketId === null) {
      const answer = await this.runner.run({ orgId, ...command }, command.text, command);
      const result = { reply: answer.ticketId ? null : answer.text, ticketId: answer.ticketId ?? null };
      return { againAfterMs: 0, answered: true, result };
    }
    if (command.reply === null && ticketId !== null) {
      const reply = await this.outcomes.of(orgId, ticketId);
      return { againAfterMs: reply === null ? LOOK_MS : 0, answered: true, result: { reply, ticketId } };
    }
    return this.send(task, command);
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<Owed>[]): Promise<void> {
    for (const { task, result } of settled) {
      if (result === null) await this.rows.markAnswered(em, orgId, task.id);
      else await this.rows.markOwed(em, orgId, task.id, result);
    }
  }

  private async send(task: Task, command: OwedCommand): Promise<Outcome<Owed>> {
    const { reply, ticketId } = command;
    const isOver = await this.replies.send(command, reply ?? '');
    const sent = Number(task.payload['sent'] ?? 0);
    const wait = isOver ? undefined : RETRY_MS[sent];
    if (wait === undefined) return { againAfterMs: null, answered: isOver, result: null };
    return { againAfterMs: wait, payload: { sent: sent + 1 }, answered: false, result: { reply, ticketId } };
  }
}
