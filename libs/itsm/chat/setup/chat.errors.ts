import { ConflictError, NotFoundError } from '#core';

/** Maximum number of workspaces of one organization. */
export const WORKSPACES_MAX = 100;

/** The organization has already registered this workspace. */
export class WorkspaceTakenError extends ConflictError {
  constructor() {
    super('The workspace is already registered; change its signing secret, or delete it first.');
  }
}

/** The organization has reached its limit of workspaces. */
export class TooManyWorkspacesError extends ConflictError {
  constructor() {
    super(`Your organization has ${WORKSPACES_MAX} workspaces, the maximum; delete unused ones.`);
  }
}

/** The organization has no workspace with this id. */
export class WorkspaceNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such workspace.');
  }
}

/** The account is already linked to a user. */
export class AccountLinkedError extends ConflictError {
  constructor() {
    super('The account is already linked; delete that link first.');
  }
}

/** The organization has no link with this id. */
export class LinkNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such link.');
  }
}
