import { Injectable } from '@nestjs/common';
import type { AdapterContext, TicketChange, TicketRef, UpdateOutcome } from '#itsm';
import { ScriptedAdapter, type ScriptedSecrets, type ScriptedSettings } from './scripted-adapter.js';

/** The platform's answer to a change. If it is undefined, the platform makes the change. */
export type UpdateScript = (change: TicketChange, ref: TicketRef) => UpdateOutcome | undefined | Promise<UpdateOutcome>;

/** A platform in memory whose tickets can be changed. */
@Injectable()
export class ChangingAdapter extends ScriptedAdapter {
  /** Every requested change, in order. */
  readonly changes: (TicketChange & { readonly ticket: string })[] = [];
  updateScript: UpdateScript = () => undefined;

  override reset(): void {
    super.reset();
    this.changes.length = 0;
    this.updateScript = () => undefined;
  }

  override async update(
    _context: AdapterContext<ScriptedSettings, ScriptedSecrets>,
    ref: TicketRef,
    change: TicketChange,
  ): Promise<UpdateOutcome> {
    this.changes.push({ ...change, ticket: ref.externalTicketId });
    return (await this.updateScript(change, ref)) ?? { kind: 'updated' };
  }
}
