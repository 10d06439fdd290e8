import { Injectable } from '@nestjs/common';
import { operatorActor, OrganizationSuspension, type SuspensionState } from '#access';
import { SuspendedTasks } from '#outbox';
import { OrganizationDeletion, type DeletionOrder, type DeletionReport } from './deletion/organization-deletion.js';

/** Suspends, resumes and deletes organizations. */
@Injectable()
export class OrganizationControl {
  constructor(
    private readonly suspension: OrganizationSuspension,
    private readonly tasks: SuspendedTasks,
    private readonly deletion: OrganizationDeletion,
  ) {}

  /** Exports a suspended organization and deletes it. */
  async delete(orgId: string, order: DeletionOrder): Promise<DeletionReport> {
    return this.deletion.run(orgId, order);
  }

  /** Suspends an organization. Workers skip its tasks from then on. */
  async suspend(orgId: string, by: string, reason: string | null): Promise<SuspensionState> {
    return this.suspension.suspend(operatorActor(orgId, by), reason);
  }

  /** Resumes an organization and its tasks. After a crash, call it again to resume the remaining tasks. */
  async resume(orgId: string, by: string): Promise<SuspensionState> {
    const state = await this.suspension.resume(operatorActor(orgId, by));
    await this.tasks.takeUp(orgId);
    return state;
  }
}
