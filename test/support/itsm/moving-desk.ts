import {
  asObject,
  asText,
  jsonOf,
  objectIn,
  PlatformAnswerError,
  type TicketChange,
  type TicketRef,
  type TicketState,
  type UpdateOutcome,
} from '#itsm';
import type { ItsmAdapterGround } from 'nest-llm-governance/testing';
import {
  refOf,
  statusOf,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { through, type Context } from './rewired.js';
import { LivingDesk, UpdatingDeskAdapter, updatingGround } from './updating-desk.js';

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

/** An adapter that changes tickets, and reports the new number of a ticket that people moved. */
export class MovingDesk extends UpdatingDeskAdapter {
  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const response = await this.ask(context, `/api/tickets/${encodeURIComponent(ref.platformId ?? '')}`);
    if (response.status === 410) return null;
    const ticket = asObject(jsonOf(response));
    const [status, movedTo] = [statusOf(ticket), ticket && refOf(ticket)];
    if (!status || !movedTo) throw new PlatformAnswerError('Acme Desk does not say where the ticket stands.');
    return movedTo.externalTicketId === ref.externalTicketId ? { status } : { status, movedTo };
  }

  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    let number = ref.externalTicketId;
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      number = asText(objectIn(response)?.['number']) ?? number;
      return response;
    });
    const outcome = await super.update(watched, ref, change);
    if (outcome.kind !== 'updated' || number === ref.externalTicketId) return outcome;
    return { ...outcome, ref: { ...ref, externalTicketId: number } };
  }
}

/** Acme Desk with queues between which people move tickets. The number of a ticket begins with its queue. */
export function movingGround(ground: Ground): Ground {
  const desk = new LivingDesk();
  return {
    ...updatingGround(ground, desk),
    rename: ({ platformId, externalTicketId }) => {
      const ticket = desk.desk.tickets.find(({ id }) => id === platformId) ?? {};
      const number = externalTicketId.replace(/^AD/, 'OPS');
      Object.assign(ticket, { number });
      return { externalTicketId: number, ...(platformId !== undefined && { platformId }) };
    },
  };
}

// Copies that each miss a part of the new name.

export class FormerNameOfStatus extends MovingDesk {
  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const state = await super.status(context, ref);
    return state && { status: state.status };
  }
}

export class NewNameWithoutId extends MovingDesk {
  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const state = await super.status(context, ref);
    const name = state?.movedTo?.externalTicketId;
    return name === undefined || !state ? state : { ...state, movedTo: { externalTicketId: name } };
  }
}

/** Looks for the ticket by its former number, which another ticket may have. */
export class MovedAsGone extends MovingDesk {
  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const state = await super.status(context, ref);
    return state?.movedTo ? null : state;
  }
}

export class FormerNameOfChange extends MovingDesk {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const outcome = await super.update(context, ref, change);
    return outcome.kind === 'updated' ? { kind: 'updated' } : outcome;
  }
}

/** Reads the ticket, sees another number, and does not change it. */
export class MovedAsRefused extends MovingDesk {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const outcome = await super.update(context, ref, change);
    if (outcome.kind !== 'updated' || !outcome.ref) return outcome;
    return { kind: 'refused', code: 'config', message: 'The ticket has another number.' };
  }
}
