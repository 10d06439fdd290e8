import { ConflictError, NotFoundError, UnauthorizedError } from '#core';

/** The organization has no device with this id. */
export class DeviceNotFoundError extends NotFoundError {
  constructor() {
    super('There is no device with this id in your organization.');
  }
}

/** The organization has no enrollment with this id. */
export class EnrollmentNotFoundError extends NotFoundError {
  constructor() {
    super('There is no enrollment with this id in your organization.');
  }
}

/** The organization has no valid authority, because it has not created an enrollment yet. */
export class AuthorityNotFoundError extends NotFoundError {
  constructor() {
    super('Your organization has no device authority yet. Create an enrollment first: POST /v1/devices/enrollments.');
  }
}

/** The state of a device, an enrollment or its user does not allow this step. */
export class DeviceStateError extends ConflictError {}

/** The enrollment token is unknown, expired or already used. */
export class EnrollmentTokenError extends UnauthorizedError {}

/** The caller has not proved to be the device, or the device may not get a certificate. */
export class DeviceProofError extends UnauthorizedError {}
