import { Logger } from '@nestjs/common';
import {
  GovernanceError,
  messageOf,
  UnavailableError,
  type DirectoryUser,
  type UserDirectory,
  type UserReference,
} from '#core';

const logger = new Logger('Governance');

/**
 * The users of a credential.
 * @throws UnavailableError if the directory does not respond; the caller responds with 503
 */
export async function findUsers(
  users: UserDirectory,
  orgId: string,
  references: readonly UserReference[],
): Promise<readonly (DirectoryUser | undefined)[]> {
  if (references.length === 0) return [];
  try {
    return await users.find(orgId, references);
  } catch (error) {
    if (error instanceof GovernanceError) throw error;
    logger.error(`The user directory cannot be reached: ${messageOf(error)}`);
    throw new UnavailableError('The user directory cannot be reached; try again shortly.');
  }
}
