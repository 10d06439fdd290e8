import { Injectable } from '@nestjs/common';
import { Clock, SecretUnreadableError } from '#core';
import { attemptUpdate } from '../adapter/attempt-update.js';
import type { TicketRef } from '../adapter/create-outcome.js';
import { changesOf } from '../adapter/itsm-adapter.port.js';
import type { ChangeKind, TicketChange, UpdateOutcome } from '../adapter/ticket-change.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { changeText } from '../decide/change-text.js';
import { afterUpdate, type ChangeStep } from '../decide/after-update.js';
import type { BegunChange } from '../decide/next-change.js';
import { keptRef, Redaction } from '../decide/shown-text.js';
import { TicketAttempts, type ReadyConnector } from '../delivery/ticket-attempts.js';
import type { FollowedTicket } from './ticket-standings.sql.js';

/** Makes one attempt to send a change, and decides the next step. */
@Injectable()
export class ChangeAttempts {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly attempts: TicketAttempts,
    private readonly clock: Clock,
  ) {}

  /** The kinds of changes that the connector's adapter supports. */
  changesOf({ kind }: ReadyConnector): readonly ChangeKind[] {
    const adapter = this.adapters.named(kind);
    return adapter ? changesOf(adapter) : [];
  }

  /**
   * Makes one attempt. Does not reject for errors of the adapter.
   * @param tries number of consecutive failed attempts before this one
   */
  async make(
    { kind, settings, secrets }: ReadyConnector,
    ticket: FollowedTicket,
    begun: BegunChange,
    tries: number,
  ): Promise<{ step: ChangeStep; movedTo: TicketRef | undefined }> {
    const adapter = this.adapters.named(kind);
    if (!adapter || secrets instanceof SecretUnreadableError) throw new Error('A change needs an adapter and secrets.');
    const context = this.attempts.contextOf(adapter, settings, secrets);
    const redaction = new Redaction(secrets, settings);
    const outcome = await attemptUpdate(adapter, context, ticket.ref, changeOf(ticket, begun));
    const step = afterUpdate(begun, shown(outcome, redaction), tries, this.clock.now(), ticket.standing.told.hidden);
    const ref = outcome.kind === 'updated' && outcome.ref ? keptRef(outcome.ref) : undefined;
    return { step, movedTo: ref && redaction.ofRef(ref) };
  }
}

function changeOf({ standing, lastSeenAt, link, resolution, title }: FollowedTicket, begun: BegunChange): TicketChange {
  const { kind, key, occurrences, severity, sends } = begun;
  const text = changeText({ kind, key, occurrences, severity, lastSeenAt, resolution, link });
  const told = { severityBefore: standing.told.severity, repeated: sends > 1 };
  return { kind, key, text, severity, ...(title !== null && { title }), ...told };
}

/** Removes secrets from the message of an outcome. */
function shown(outcome: UpdateOutcome, redaction: Redaction): UpdateOutcome {
  if (outcome.kind !== 'updated') return { ...outcome, message: redaction.of(outcome.message) };
  return outcome.kept === undefined ? outcome : { ...outcome, kept: redaction.of(outcome.kept) };
}
