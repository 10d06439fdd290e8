import {
  asObject,
  asText,
  changeTicket,
  defined,
  jsonOf,
  objectIn,
  outcomeOfChange,
  outcomeOfRefusal,
  type ChangePart,
  type FoundTicket,
  type TicketChange,
  type TicketRef,
  type UpdateOutcome,
} from 'nest-llm-governance/itsm';
import { AcmeDeskAdapter, statusOf, URGENCY, type Context } from './acme-desk.adapter.js';

/** An adapter for Acme Desk whose tickets follow changes of their incidents. */
export class AcmeDeskWithChanges extends AcmeDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return changeTicket(await this.read(context, ref), ref, change);
  }

  /** Reads the current ticket. An error of this request means that nothing was changed. */
  private async read(context: Context, { platformId = '' }: TicketRef): Promise<FoundTicket | null> {
    const path = `/api/tickets/${encodeURIComponent(platformId)}`;
    const found = await this.ask(context, path);
    if (found.status === 410) return null;
    const ticket = asObject(jsonOf(found, context.clock)) ?? {};
    const [status, resolution] = [statusOf(ticket), asText(ticket['resolution'])];
    return {
      state: status && defined({ status, resolution }),
      hasPriority: severity => ticket['urgency'] === URGENCY[severity],
      hasText: key => asText(ticket['notes'])?.includes(key) ?? false,
      write: part => this.write(context, path, part),
    };
  }

  /** Makes the whole change in one request. A refusal therefore means that nothing was changed. */
  private async write(context: Context, path: string, { text, to, severity }: ChangePart): Promise<UpdateOutcome> {
    const state = to && (to === 'resolved' ? 'solved' : 'new');
    const json = defined({ note: text, state, urgency: severity && URGENCY[severity] });
    const response = await this.ask(context, path, json);
    const status = statusOf(objectIn(response));
    if (response.status === 200 && status) return { kind: 'updated', status };
    return outcomeOfChange(outcomeOfRefusal(response, context.clock));
  }
}
