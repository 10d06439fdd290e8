import { Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';

/** Whom the host sells to; each is an organization. */
export interface Customer {
  readonly id: string;
  readonly name: string;
}

/** Keeps the customers. */
@Injectable()
export class Customers {
  constructor(private readonly governance: Governance) {}

  /** Makes the organization of a customer at the sign-up, and again wherever it is used: a repeat changes nothing. */
  async signUp(customer: Customer): Promise<void> {
    await this.governance.ensureOrganization({ id: customer.id, name: customer.name, time_zone: 'Europe/Berlin' });
  }
}
