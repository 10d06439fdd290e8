import { Injectable } from '@nestjs/common';
import { OnGovernanceEvent, type EventEnvelope } from 'nest-llm-governance';
import { Staff } from './staff.js';

/** Notifies people of blocked requests, with the reason. */
@Injectable()
export class ViolationsListener {
  constructor(private readonly staff: Staff) {}

  @OnGovernanceEvent('policy_violation')
  async onViolation({ id, data }: EventEnvelope<'policy_violation'>): Promise<void> {
    // The event's id identifies an event that is delivered again.
    await this.staff.notify(data.user_id, id, `A policy fired on ${data.model}, severity ${data.severity}.`);
  }
}
