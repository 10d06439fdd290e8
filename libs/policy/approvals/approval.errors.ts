import { ConflictError, ForbiddenError, NotFoundError } from '#core';
import type { ApprovalStatus } from './approval-status.js';

/** The organization has no approval of that id, or not one that the caller may see. */
export class ApprovalNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no approval ${id} in your organization.`);
  }
}

/** Nobody decides about themself, nor with a credential that they made. */
export class OwnApprovalError extends ForbiddenError {
  constructor() {
    super(
      'This approval is about yourself, or about somebody who issued your credential; somebody else must decide it, ' +
        'with a credential that the person did not issue.',
    );
  }
}

/** The options require a person, and the credential is no proof of one. */
export class PersonRequiredError extends ForbiddenError {
  constructor() {
    super(
      'Only a person may approve or deny, and your credential belongs to no user or was made by one that belongs to ' +
        'none; sign in, or use a token with a user_id that a person or the command line made.',
    );
  }
}

/** The request has been decided, or nobody decided it in time. */
export class ApprovalDecidedError extends ConflictError {
  constructor(status: ApprovalStatus) {
    super(`This request is ${status} already; the next refused decision opens a new one.`);
  }
}

/** There is no grant that could be taken back. */
export class NoGrantError extends ConflictError {
  constructor(status: ApprovalStatus) {
    super(`Only a grant that holds can be revoked, and this approval is ${status}.`);
  }
}
