import {
  objectIn,
  type AdapterResponse,
  type Json,
  type JsonObject,
  type TicketChange,
  type TicketRef,
  type UpdateOutcome,
} from '#itsm';
import type { Context } from './rewired.js';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { ResolvingDeskAdapter, UpdatingDeskAdapter } from './updating-desk.js';

const UPDATING = { priority: true, labels: true, comment: false, findByKey: 'strong' };

// Copies of an adapter that each break a rule about changes of tickets.

/** Declares a change that the platform does not support. */
export class DeclaringUnsupported extends UpdatingDeskAdapter {
  override readonly capabilities = { ...UPDATING, changes: ['resolve', 'delete'] } as never;
}

/** Declares changes but makes none. */
export class DeclaringOnly extends AcmeDeskAdapter {
  override readonly capabilities = { ...UPDATING, changes: ['resolve'] } as never;
}

export class AddingTextAgain extends UpdatingDeskAdapter {
  protected override isThere(): boolean {
    return false;
  }
}

export class OwnText extends UpdatingDeskAdapter {
  override update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return super.update(context, ref, { ...change, text: `Seen again. ${change.key}` });
  }
}

export class RaisingLowered extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    return super.wanted(change.kind === 'priority' ? { ...life, urgency: 'today' } : life, change);
  }
}

export class ReopeningAll extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    return super.wanted({ ...life, ending: '' }, change);
  }
}

export class AnyAnswerAsChange extends UpdatingDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const outcome = await super.update(context, ref, change).catch(() => undefined);
    return outcome?.kind === 'refused' && outcome.code === 'declined' ? outcome : { kind: 'updated' };
  }
}

export class GoneAtFailure extends UpdatingDeskAdapter {
  override update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return super.update(context, ref, change).catch(() => ({ kind: 'gone', message: 'It is gone.' }));
  }
}

/** Does not resolve tickets on a platform without reads. */
export class NotResolvingWithoutReads extends ResolvingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    const { state: _state, ...rest } = super.wanted(life, change);
    return rest;
  }
}

export class NotResolving extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    const { state: _state, ...rest } = super.wanted(life, change);
    return rest;
  }
}

export class ChangingRightFields extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    const wanted = super.wanted(life, change);
    const isRight = change.kind !== 'comment' && 'note' in wanted && !('state' in wanted);
    return isRight ? { ...wanted, state: change.kind === 'resolve' ? 'filed' : 'taken' } : wanted;
  }
}

/** Adds the text, and then changes the status. Reports a refusal of the second request as a refusal of both. */
export class InTwoSteps extends UpdatingDeskAdapter {
  protected override async send(context: Context, ref: TicketRef, json: JsonObject): Promise<UpdateOutcome> {
    const { note, ...rest } = json;
    if (note === undefined || Object.keys(rest).length === 0) return super.send(context, ref, json);
    const said = await super.send(context, ref, { note });
    return said.kind === 'updated' ? super.send(context, ref, rest) : said;
  }
}

/** Changes the status, and then adds the text. Reports a refusal of the second request as a refusal of both. */
export class Halfway extends UpdatingDeskAdapter {
  protected override async send(context: Context, ref: TicketRef, json: JsonObject): Promise<UpdateOutcome> {
    const { note, ...rest } = json;
    if (note === undefined || Object.keys(rest).length === 0) return super.send(context, ref, json);
    const moved = await super.send(context, ref, rest);
    if (moved.kind !== 'updated') return moved;
    const uncertain: UpdateOutcome = { kind: 'uncertain', message: 'The ticket has moved.' };
    const said = await super.send(context, ref, { note }).catch(() => uncertain);
    return said.kind === 'retryable' ? uncertain : said;
  }
}

/** The same fault on a platform without a final status like “Won’t Do”. */
export class WithoutFinalStatus extends ReopeningAll {}

export class Status503AsChange extends UpdatingDeskAdapter {
  protected override read(context: Context, response: AdapterResponse): UpdateOutcome {
    const outcome = super.read(context, response);
    return outcome.kind === 'uncertain' ? { kind: 'updated' } : outcome;
  }
}

export class NotReopening extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    const wanted = super.wanted(life, change);
    return change.kind === 'reopen' && 'note' in wanted ? { note: change.text } : wanted;
  }
}

export class NotRaising extends UpdatingDeskAdapter {
  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    return change.kind === 'priority' ? { kind: 'updated' } : super.wanted(life, change);
  }
}

export class AddingTextAgainAtReopening extends UpdatingDeskAdapter {
  protected override isThere(life: JsonObject, change: TicketChange): boolean {
    return change.kind !== 'reopen' && super.isThere(life, change);
  }
}

export class AnyAnswerAsReopening extends UpdatingDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    if (change.kind !== 'reopen') return super.update(context, ref, change);
    const outcome = await super.update(context, ref, change).catch(() => undefined);
    return outcome?.kind === 'refused' && outcome.code === 'declined' ? outcome : { kind: 'updated' };
  }
}

export class AnyAnswerAsRaising extends UpdatingDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    if (change.kind !== 'priority') return super.update(context, ref, change);
    return super.update(context, ref, change).catch(() => ({ kind: 'updated' }));
  }
}

// Copies that read the ticket correctly, and misread only a refusal of the request that writes.

/** Reports a change as made if the platform refuses its write with this status. */
export function madeAt(status: number): new () => UpdatingDeskAdapter {
  return class extends UpdatingDeskAdapter {
    protected override read(context: Context, response: AdapterResponse): UpdateOutcome {
      return response.status === status ? { kind: 'updated' } : super.read(context, response);
    }
  };
}

/** Reports the ticket as deleted if the platform refuses the write with this status. */
export function goneAtWrite(status: number): new () => UpdatingDeskAdapter {
  return class extends UpdatingDeskAdapter {
    protected override read(context: Context, response: AdapterResponse): UpdateOutcome {
      return response.status === status
        ? { kind: 'gone', message: 'Acme Desk has no such ticket.' }
        : super.read(context, response);
    }
  };
}

/** Reports a change as made if the platform answers its write with status 200 and an error. */
export class ErrorAsChange extends UpdatingDeskAdapter {
  protected override read(context: Context, response: AdapterResponse): UpdateOutcome {
    const isError = response.status === 200 && objectIn(response)?.['error'] !== undefined;
    return isError ? { kind: 'updated' } : super.read(context, response);
  }
}

/** Reports a change as made if the platform answers its read with status 200 and an error. */
export class ErrorAtReadAsChange extends UpdatingDeskAdapter {
  protected override async askLife(context: Context, ref: TicketRef, json?: Json): Promise<AdapterResponse> {
    const response = await super.askLife(context, ref, json);
    if (json === undefined && response.status === 200 && objectIn(response)?.['error'] !== undefined)
      throw new Misread();
    return response;
  }

  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    try {
      return await super.update(context, ref, change);
    } catch (error) {
      if (error instanceof Misread) return { kind: 'updated' };
      throw error;
    }
  }
}

class Misread extends Error {}
