import { Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';

/** A customer of the host. Each customer is an organization. */
export interface Customer {
  readonly id: string;
  readonly name: string;
}

/** Stores the customers of the host. */
@Injectable()
export class Customers {
  constructor(private readonly governance: Governance) {}

  /**
   * Creates the organization of a customer. Call it when the customer signs up, and again before each use. A repeated
   * call changes nothing.
   */
  async signUp(customer: Customer): Promise<void> {
    await this.governance.ensureOrganization({ id: customer.id, name: customer.name, time_zone: 'Europe/Berlin' });
  }
}
