import {
  asObject,
  asText,
  isDeclined,
  jsonOf,
  objectIn,
  outcomeOfChange,
  outcomeOfRefusal,
  PlatformAnswerError,
  type JsonObject,
  type TicketChange,
  type TicketRef,
  type UpdateOutcome,
} from 'nest-llm-governance/itsm';
import { AcmeDeskAdapter, statusOf, URGENCY, type Context } from './acme-desk.adapter.js';

/** Acme Desk, with tickets that follow their incidents. */
export class AcmeDeskWithChanges extends AcmeDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const path = `/api/tickets/${encodeURIComponent(ref.platformId ?? '')}`;
    // First read everything. An error that is thrown here says that nothing was changed.
    const found = await this.ask(context, path);
    if (found.status === 410) return { kind: 'gone', message: 'Acme Desk deleted the ticket.' };
    const ticket = asObject(jsonOf(found, context.clock)) ?? {};
    const status = statusOf(ticket);
    if (!status) throw new PlatformAnswerError('Acme Desk does not say where the ticket stands.');
    const isOver = status === 'resolved' || status === 'closed';
    if (change.kind === 'priority') {
      const [urgency, before] = [URGENCY[change.severity], URGENCY[change.severityBefore]];
      if (ticket['urgency'] === urgency) return { kind: 'updated', status };
      if (ticket['urgency'] !== before) return { kind: 'updated', status, kept: 'People chose the urgency.' };
      return this.write(context, path, { urgency });
    }
    if (change.kind === 'reopen' && isOver && isDeclined(asText(ticket['resolution']))) {
      return { kind: 'refused', code: 'declined', message: 'People decided not to solve it.' };
    }
    if (change.repeated && asText(ticket['notes'])?.includes(change.key)) return { kind: 'updated', status };
    const state = { comment: undefined, resolve: isOver ? undefined : 'solved', reopen: isOver ? 'new' : undefined };
    return this.write(context, path, { note: change.text, ...(state[change.kind] && { state: state[change.kind] }) });
  }

  /** One request makes the whole change, so a refusal says that nothing was changed. */
  private async write(context: Context, path: string, json: JsonObject): Promise<UpdateOutcome> {
    const response = await this.ask(context, path, json);
    const status = statusOf(objectIn(response));
    if (response.status === 200 && status) return { kind: 'updated', status };
    return outcomeOfChange(outcomeOfRefusal(response, context.clock));
  }
}
