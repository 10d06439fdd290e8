import { Injectable } from '@nestjs/common';
import { OnGovernanceEvent, type EventEnvelope } from 'nest-llm-governance';
import { Staff } from './staff.js';

/** Tells people what they were kept from, and why. */
@Injectable()
export class ViolationsListener {
  constructor(private readonly staff: Staff) {}

  @OnGovernanceEvent('policy_violation')
  async onViolation({ id, data }: EventEnvelope<'policy_violation'>): Promise<void> {
    // The id tells a repeat from something new.
    await this.staff.notify(data.user_id, id, `A policy fired on ${data.model}, severity ${data.severity}.`);
  }
}
