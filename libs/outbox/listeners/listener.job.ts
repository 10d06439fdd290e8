import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type Clock } from '#core';
import type { EventEnvelope } from '../events/index.js';
import type { EventConsumer, FiredEvent } from '../store/event-outbox.js';
import { readEvents } from '../store/event-reader.js';
import { JobHandler } from '../tasks/job-handler.js';
import type { TaskQueue } from '../tasks/task-queue.js';
import type { Outcome, Task } from '../tasks/task.js';
import type { EventListeners } from './event-listeners.js';

/** Calls the listeners of the host, with one task per event and listener. */
export class ListenerJob extends JobHandler<EventEnvelope, null> implements EventConsumer {
  readonly name = 'listener';
  override readonly renews = true;

  constructor(
    private readonly listeners: EventListeners,
    private readonly queue: TaskQueue,
    private readonly clock: Clock,
  ) {
    super();
  }

  async accept(em: EntityManager, orgId: string, events: readonly FiredEvent[]): Promise<void> {
    const tasks = events.flatMap(event =>
      this.listeners.of(event.type).map(({ name }) => ({
        id: newId(this.clock.now()),
        queue: this.name,
        key: name,
        payload: { event_id: event.id },
      })),
    );
    await this.queue.add(em, orgId, tasks);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, EventEnvelope>> {
    const events = await readEvents(
      em,
      orgId,
      tasks.map(task => eventIdOf(task)),
    );
    return new Map(
      tasks.flatMap(task => {
        const event = events.get(eventIdOf(task));
        // `encodeEvent` has written the body, so its type is known.
        return event ? [[task.id, JSON.parse(event.body.toString('utf8')) as EventEnvelope]] : [];
      }),
    );
  }

  async perform(task: Task, event: EventEnvelope): Promise<Outcome<null>> {
    const listener = this.listeners.named(task.key);
    if (!listener) throw new Error(`no provider of this process has the listener ${task.key}`);
    await listener.call(event);
    return { againAfterMs: null, answered: true, result: null };
  }

  async settle(): Promise<void> {}
}

function eventIdOf({ payload }: Task): string {
  return typeof payload['event_id'] === 'string' ? payload['event_id'] : '';
}
