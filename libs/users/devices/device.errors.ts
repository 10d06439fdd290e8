import { ConflictError, NotFoundError, UnauthorizedError } from '#core';

/** There is no such device in the organization. */
export class DeviceNotFoundError extends NotFoundError {
  constructor() {
    super('There is no device with this id in your organization.');
  }
}

/** There is no such enrollment in the organization. */
export class EnrollmentNotFoundError extends NotFoundError {
  constructor() {
    super('There is no enrollment with this id in your organization.');
  }
}

/** The organization has no authority that has not run out: nobody was to enroll a device yet. */
export class AuthorityNotFoundError extends NotFoundError {
  constructor() {
    super('Your organization has no device authority yet. Create an enrollment first: POST /v1/devices/enrollments.');
  }
}

/** The state of a device, an enrollment or its user does not allow this step. */
export class DeviceStateError extends ConflictError {}

/** The token does not enroll a device: it is unknown, or its time or its one use is over. */
export class EnrollmentTokenError extends UnauthorizedError {}

/** Who asks for another certificate has not proved to be the device, or the device may have none. */
export class DeviceProofError extends UnauthorizedError {}
