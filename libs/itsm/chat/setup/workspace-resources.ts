import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { SecretVault } from '#secrets';
import { makeNoticesDue, NOTICE_QUEUE } from '../notice-task.js';
import { notificationSecretPlace, signingSecretPlace, WORKSPACE_SECRETS } from './workspace-secrets.js';

const FORGET = `delete from ${SCHEMA}.chat_notices where org_id = $1 and workspace_id = $2`;

interface Workspace {
  readonly orgId: string;
  readonly id: string;
}

/** The secrets and the notifications of a workspace, which are stored outside its row. */
@Injectable()
export class WorkspaceResources {
  constructor(
    private readonly vault: SecretVault,
    private readonly tasks: TaskQueue,
  ) {}

  /** Replaces secrets. A secret that is undefined stays as it is. */
  async putSecrets(
    em: EntityManager,
    workspace: Workspace,
    { signing, notification }: { signing?: string | undefined; notification?: string | undefined },
  ): Promise<void> {
    if (signing !== undefined) await this.vault.put(em, signingSecretPlace(workspace), signing);
    if (notification !== undefined) await this.vault.put(em, notificationSecretPlace(workspace), notification);
  }

  /** The secrets that can be read, by name. */
  async secretsOf(em: EntityManager, workspace: Workspace): Promise<Readonly<Record<string, string>>> {
    const places = [signingSecretPlace(workspace), notificationSecretPlace(workspace)];
    const found = await this.vault.getMany(em, places);
    return Object.fromEntries(
      places.flatMap(({ name }, at) => {
        const secret = found[at];
        return typeof secret === 'string' ? [[name, secret] as const] : [];
      }),
    );
  }

  /** Retries waiting notifications at once. */
  async retryNotices(em: EntityManager, { orgId, id }: Workspace): Promise<void> {
    await makeNoticesDue(sqlOf(em), orgId, id);
    await this.tasks.wake(em, NOTICE_QUEUE);
  }

  /** Deletes the secrets and the notifications. */
  async discard(em: EntityManager, { orgId, id }: Workspace): Promise<void> {
    await sqlOf(em).query(FORGET, [orgId, id]);
    await this.tasks.removeKey(em, orgId, NOTICE_QUEUE, id);
    await this.vault.deleteAll(em, orgId, WORKSPACE_SECRETS, id);
  }
}
