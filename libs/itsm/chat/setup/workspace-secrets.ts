import type { SecretPlace } from '#core';

/** Owner of the secrets of workspaces in the vault. */
export const WORKSPACE_SECRETS = 'chat_workspaces';

interface Workspace {
  readonly orgId: string;
  readonly id: string;
}

/** Where the vault keeps the signing secret of a workspace. */
export function signingSecretPlace({ orgId, id }: Workspace): SecretPlace {
  return { orgId, owner: WORKSPACE_SECRETS, ownerId: id, name: 'signing_secret' };
}

/** Where the vault keeps the notification secret of a workspace. */
export function notificationSecretPlace({ orgId, id }: Workspace): SecretPlace {
  return { orgId, owner: WORKSPACE_SECRETS, ownerId: id, name: 'notification_secret' };
}
