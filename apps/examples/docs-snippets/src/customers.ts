import { Injectable } from '@nestjs/common';
import { Governance } from 'nest-llm-governance';

/** A customer of the host. Each customer is an organization. */
export interface Customer {
  readonly id: string;
  readonly name: string;
}

/** Stores the customers. */
@Injectable()
export class Customers {
  constructor(private readonly governance: Governance) {}

  /**
   * Creates the organization of a customer. Call it at the sign-up, and again before each use: a repeat changes
   * nothing.
   */
  async signUp(customer: Customer): Promise<void> {
    await this.governance.ensureOrganization({ id: customer.id, name: customer.name, time_zone: 'Europe/Berlin' });
  }
}
