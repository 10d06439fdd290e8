import { Injectable } from '@nestjs/common';
import { Clock, SecretUnreadableError } from '#core';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { TicketAttempts, type ReadyConnector } from '../delivery/ticket-attempts.js';
import { isTicketStatus } from '../inbound/report.js';
import type { Report } from '../inbound/ticket-reports.js';
import { hidden, shown } from './hidden-tickets.js';

/** Number of consecutive failures after which the platform is skipped until the next round. */
const FAILURES_MAX = 3;

/** A ticket whose status is polled. */
export interface AskedTicket {
  readonly id: string;
  readonly externalTicketId: string;
  readonly platformId: string | null;
  readonly url: string | null;
  readonly status: TicketStatus;
  readonly notes: string | null;
  /** Version of the ticket. Every change of the ticket changes it. */
  readonly version: string;
}

/** The status that the platform answered. */
export interface TicketAnswer {
  readonly ticket: AskedTicket;
  readonly state: Report;
}

/** Polls the status of tickets on their platforms. */
@Injectable()
export class AskedTickets {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly attempts: TicketAttempts,
    private readonly clock: Clock,
  ) {}

  /**
   * Polls tickets one after the other. A ticket whose status could not be read has no answer. `isWorthMore` says
   * whether the platform answers at all. Never throws.
   */
  async ask(
    connector: ReadyConnector,
    tickets: readonly AskedTicket[],
  ): Promise<{ answers: TicketAnswer[]; isWorthMore: boolean }> {
    const { kind, settings, secrets, problemUntil } = connector;
    const adapter = this.adapters.named(kind);
    const isPaused = problemUntil !== null && problemUntil > this.clock.now();
    if (!adapter?.status || isPaused || secrets instanceof SecretUnreadableError) {
      return { answers: [], isWorthMore: false };
    }
    const context = this.attempts.contextOf(adapter, settings, secrets);
    const answers: TicketAnswer[] = [];
    let failures = 0;
    for (const ticket of tickets) {
      try {
        const said = await adapter.status(context, refOf(ticket));
        failures = 0;
        const state = said === null ? { ...hidden(ticket), isHidden: true } : shown(ticket, said);
        if (isTicketStatus(state.status)) answers.push({ ticket, state });
      } catch {
        if (++failures === FAILURES_MAX) return { answers, isWorthMore: false };
      }
    }
    return { answers, isWorthMore: true };
  }
}

function refOf({ externalTicketId, platformId, url }: AskedTicket): TicketRef {
  return {
    externalTicketId,
    ...(platformId === null ? {} : { platformId }),
    ...(url === null ? {} : { url }),
  };
}
