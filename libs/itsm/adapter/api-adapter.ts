import { isUuid } from '#core';
import { AdapterHttpError } from './adapter-http.js';
import { changeTicket, type FoundTicket } from './change-ticket.js';
import type { TicketRef } from './create-outcome.js';
import { ItsmAdapter, type AdapterContext, type Check } from './itsm-adapter.port.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { TicketChange, UpdateOutcome } from './ticket-change.js';
import type { TicketState } from './ticket-state.js';

/**
 * The result of a check. A text means that the check passed; undefined, that it passed and there is nothing to report.
 */
export type Finding = string | { readonly warning: string } | { readonly failed: string } | undefined;

/** A step of the connector test: the name of its check, and the function that makes the check. */
export type Look = readonly [name: string, look: () => Promise<Finding> | Finding];

/**
 * Runs the steps in order, and stops at the first check that fails. A check also fails if the platform's answer cannot
 * be read.
 */
export async function checksOf(looks: readonly Look[]): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, look] of looks) {
    const finding = await findingOf(look);
    if (typeof finding === 'string') checks.push({ name, status: 'passed', message: finding });
    else if (finding && 'warning' in finding) checks.push({ name, status: 'warning', message: finding.warning });
    else if (finding) return [...checks, { name, status: 'failed', message: finding.failed }];
  }
  return checks;
}

async function findingOf(look: Look[1]): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof PlatformAnswerError || error instanceof AdapterHttpError) return { failed: error.message };
    throw error;
  }
}

/** Base class for adapters of platforms whose API can find and read tickets. It reads a ticket before it changes it. */
export abstract class ApiAdapter<Settings extends object, Secrets extends object> extends ItsmAdapter<
  Settings,
  Secrets
> {
  /** The steps of the connector test. They begin with the network connection, and only read. */
  protected abstract looks(context: AdapterContext<Settings, Secrets>): readonly Look[];

  /** Finds the tickets that carry a key, a UUID; the newest first. @throws PlatformAnswerError, AdapterHttpError */
  protected abstract search(context: AdapterContext<Settings, Secrets>, key: string): Promise<TicketRef[]>;

  /**
   * Reads a ticket; null if the platform itself reports that it does not exist.
   * @param change the change for which the ticket is read, if any
   * @throws PlatformAnswerError, AdapterHttpError
   */
  protected abstract read(
    context: AdapterContext<Settings, Secrets>,
    ref: TicketRef,
    change?: TicketChange,
  ): Promise<FoundTicket | null>;

  override verify(context: AdapterContext<Settings, Secrets>): Promise<Check[]> {
    return checksOf(this.looks(context));
  }

  override async findByKey(context: AdapterContext<Settings, Secrets>, key: string): Promise<TicketRef[]> {
    // A ticket's key is always a UUID. Any other text could inject a query.
    return isUuid(key) ? this.search(context, key) : [];
  }

  override async status(context: AdapterContext<Settings, Secrets>, ref: TicketRef): Promise<TicketState | null> {
    const found = await this.read(context, ref);
    if (!found) return null;
    const { state, ref: now } = found;
    if (!state) throw new PlatformAnswerError(`${this.title} did not return the state of the ticket.`);
    return now && now.externalTicketId !== ref.externalTicketId ? { ...state, movedTo: now } : state;
  }

  override async update(
    context: AdapterContext<Settings, Secrets>,
    ref: TicketRef,
    change: TicketChange,
  ): Promise<UpdateOutcome> {
    return changeTicket(await this.read(context, ref, change), ref, change);
  }
}
