import type { SecretPlace } from '#core';

/** Owner type of workspace secrets in the vault. */
export const WORKSPACE_SECRETS = 'chat_workspaces';

interface Workspace {
  readonly orgId: string;
  readonly id: string;
}

/** Location of a workspace's signing secret in the vault. */
export function signingSecretPlace({ orgId, id }: Workspace): SecretPlace {
  return { orgId, owner: WORKSPACE_SECRETS, ownerId: id, name: 'signing_secret' };
}

/** Location of a workspace's notification secret in the vault. */
export function notificationSecretPlace({ orgId, id }: Workspace): SecretPlace {
  return { orgId, owner: WORKSPACE_SECRETS, ownerId: id, name: 'notification_secret' };
}
