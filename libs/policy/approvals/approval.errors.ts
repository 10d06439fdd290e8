import { ConflictError, ForbiddenError, NotFoundError } from '#core';
import type { ApprovalStatus } from './approval-status.js';

/** No approval with this id exists in the organization, or the caller may not see it. */
export class ApprovalNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no approval ${id} in your organization.`);
  }
}

/** People cannot decide about their own approvals, neither directly nor with a credential that they created. */
export class OwnApprovalError extends ForbiddenError {
  constructor() {
    super(
      'You cannot decide this approval: it is about you, or about a person who issued your credential. Another ' +
        'person must decide it, with a credential that neither issued.',
    );
  }
}

/** The options require a person, but the credential does not prove one. */
export class PersonRequiredError extends ForbiddenError {
  constructor() {
    super(
      'Only a person may approve or deny, and your credential is a service token or was created by one. Sign in, ' +
        'or use a token that has a user_id and that a person or the command line created.',
    );
  }
}

/** An approver has already decided about the request, or it has expired. */
export class ApprovalDecidedError extends ConflictError {
  constructor(status: ApprovalStatus) {
    super(`This request is already ${status}; the next refused decision opens a new one.`);
  }
}

/** The approval has no grant that could be revoked. */
export class NoGrantError extends ConflictError {
  constructor(status: ApprovalStatus) {
    super(`Only an approval that is in force can be revoked; this one is ${status}.`);
  }
}
