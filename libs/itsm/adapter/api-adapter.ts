import { isUuid } from '#core';
import { AdapterHttpError } from './adapter-http.js';
import { changeTicket, type FoundTicket } from './change-ticket.js';
import type { TicketRef } from './create-outcome.js';
import { ItsmAdapter, type AdapterContext, type Check } from './itsm-adapter.port.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { TicketChange, UpdateOutcome } from './ticket-change.js';
import type { TicketState } from './ticket-state.js';

/** What a check found: a sentence if all is well; nothing if there is nothing to say. */
export type Finding = string | { readonly warning: string } | { readonly failed: string } | undefined;

/** A step of the test of a connector: the name of its check, and what looks. */
export type Look = readonly [name: string, look: () => Promise<Finding> | Finding];

/** Looks from the outside in, and ends at the first failed check. A failure to read is a failed check. */
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

/** An adapter for a platform that finds and shows tickets: it follows them by reading each one before it is changed. */
export abstract class ApiAdapter<Settings extends object, Secrets extends object> extends ItsmAdapter<
  Settings,
  Secrets
> {
  /** The steps of the test of a connector, from the outside in. They read only. */
  protected abstract looks(context: AdapterContext<Settings, Secrets>): readonly Look[];

  /** The tickets that carry a key, which is a UUID, the newest first. @throws PlatformAnswerError, AdapterHttpError */
  protected abstract search(context: AdapterContext<Settings, Secrets>, key: string): Promise<TicketRef[]>;

  /**
   * A ticket; null if the platform itself says that it has none. @param change that it is read for, if any
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
    // A key is a UUID; anything else was never given to a ticket, and could be a query of its own.
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
