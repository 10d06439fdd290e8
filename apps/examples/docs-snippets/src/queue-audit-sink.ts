import { Injectable } from '@nestjs/common';
import { AuditSink, type AuditRecord } from 'nest-llm-governance';

/** Your own queue. It drops a message whose id it has already received. */
export abstract class Queue {
  /** Resolves once the messages are stored. */
  abstract publish(messages: readonly { id: string; body: string }[], signal: AbortSignal): Promise<void>;
}

/** Publishes records to a queue. */
@Injectable()
export class QueueAuditSink extends AuditSink {
  readonly name = 'queue';

  constructor(private readonly queue: Queue) {
    super();
  }

  async write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const messages = records.map(({ uid, event }) => ({ id: uid, body: JSON.stringify(event) }));
    await this.queue.publish(messages, signal);
  }
}
