import { ConflictError, NotFoundError } from '#core';

/** The organization has no user with this id. */
export class UserNotFoundError extends NotFoundError {
  constructor() {
    super('There is no user with this id in your organization.');
  }
}

/** Another user of the organization has this e-mail address, compared without case. */
export class EmailTakenError extends ConflictError {
  static ofField(field = 'email'): EmailTakenError {
    return EmailTakenError.field(field, 'belongs to another user of your organization (case makes no difference)');
  }
}

/** The user's personal data was erased. The erasure is permanent. */
export class UserErasedError extends ConflictError {
  constructor() {
    super('This user was erased. Create a new user instead.');
  }
}

/** The user's status does not allow this transition. */
export class UserTransitionError extends ConflictError {}
