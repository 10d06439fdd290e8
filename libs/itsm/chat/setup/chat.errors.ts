import { ConflictError, NotFoundError } from '#core';

/** Most workspaces of one organization. */
export const WORKSPACES_MAX = 100;

/** The organization takes commands of that workspace already. */
export class WorkspaceTakenError extends ConflictError {
  constructor() {
    super('The workspace is already registered; change its signing secret, or delete it first.');
  }
}

/** The organization has as many workspaces as it may have. */
export class TooManyWorkspacesError extends ConflictError {
  constructor() {
    super(`Your organization has ${WORKSPACES_MAX} workspaces, the maximum; delete unused ones.`);
  }
}

/** The organization has no workspace of that id. */
export class WorkspaceNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such workspace.');
  }
}

/** The account is somebody's already. */
export class AccountLinkedError extends ConflictError {
  constructor() {
    super('The account is already linked; delete that link first.');
  }
}

/** The organization has no link of that id. */
export class LinkNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such link.');
  }
}
